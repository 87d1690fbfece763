import {
  type BookLevel,
  type Candle,
  type CoinPrices,
  minuteMs,
  type OrderBooks,
  type Ticker
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"
import { readMinuteCandles } from "../server/minuteCandles.ts"
import { formatDecimal, queryNumber } from "../server/numbers.ts"
import { coinOf, invalidInterval, invalidSymbol, quote, valueOrNull, withWeightHeaders } from "./responses.ts"

type Prices = CoinPrices["Service"]
type Books = OrderBooks["Service"]

const lengths: Readonly<Record<string, number>> = { "1m": minuteMs, "5m": 5 * minuteMs }

const toKlineRow = (candle: Candle, length: number, trades: number) => {
  const { close, high, low, open, quoteVolume, takerBuyVolume, time, volume } = candle
  const taker = takerBuyVolume ?? 0
  return [
    time,
    ...[open, high, low, close, volume].map(formatDecimal),
    time + length - 1,
    formatDecimal(quoteVolume),
    trades,
    formatDecimal(taker),
    formatDecimal(volume === 0 ? 0 : (taker / volume) * quoteVolume),
    "0"
  ]
}

const klines = Effect.fnUntraced(function*(prices: Prices, { query }: FakeRequest): Effect.fn.Return<FakeResponse> {
  const interval = query.get("interval") ?? ""
  const length = lengths[interval]
  if (length === undefined) return invalidInterval
  const coin = coinOf(query.get("symbol"))
  const facts = coin === undefined ? null : yield* valueOrNull(prices.coin(coin))
  if (facts === null) return invalidSymbol
  const now = yield* Clock.currentTimeMillis
  const limit = Math.min(1_000, queryNumber(query, "limit") ?? 500)
  const end = queryNumber(query, "endTime") ?? now
  const requestedFrom = queryNumber(query, "startTime") ?? end - limit * length
  const from = Math.ceil(Math.max(requestedFrom, Math.floor(facts.listedAt / length) * length) / length) * length
  const to = Math.min(end + 1, from + limit * length)
  const candles = interval === "1m"
    ? yield* readMinuteCandles(prices, facts.coin, from, to)
    : (yield* valueOrNull(prices.candleRange({ coin: facts.coin, timeframe: "5m", from, to }))) ?? []
  return { body: candles.slice(0, limit).map((candle) => toKlineRow(candle, length, 1)) }
})

const toDayTicker = ({ change24hPct, coin, high24h, low24h, price, time, volume24hUsd }: Ticker) => {
  const open = price / (1 + (change24hPct ?? 0) / 100)
  const dollars = volume24hUsd ?? 0
  return {
    symbol: `${coin}${quote}`,
    priceChange: formatDecimal(price - open),
    priceChangePercent: formatDecimal(change24hPct ?? 0),
    weightedAvgPrice: formatDecimal(price),
    prevClosePrice: formatDecimal(open),
    lastPrice: formatDecimal(price),
    lastQty: "1",
    bidPrice: formatDecimal(price),
    bidQty: "1",
    askPrice: formatDecimal(price),
    askQty: "1",
    openPrice: formatDecimal(open),
    highPrice: formatDecimal(high24h ?? price),
    lowPrice: formatDecimal(low24h ?? price),
    volume: formatDecimal(dollars / price),
    quoteVolume: formatDecimal(dollars),
    openTime: time - 86_400_000,
    closeTime: time,
    firstId: 1,
    lastId: 2,
    count: 2
  }
}

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

const dayTickers = Effect.fnUntraced(function*(prices: Prices, { query }: FakeRequest): Effect.fn.Return<FakeResponse> {
  const symbols: unknown = JSON.parse(query.get("symbols") ?? "null")
  const { value } = yield* Effect.orDie(prices.tickers)
  const bySymbol = new Map(value.map((ticker) => [`${ticker.coin}${quote}`, ticker]))
  if (!isTexts(symbols)) return { body: Array.from(bySymbol.values(), toDayTicker) }
  const pairs = symbols.map((symbol) => bySymbol.get(symbol))
  const known = pairs.filter((ticker) => ticker !== undefined)
  return known.length < symbols.length ? invalidSymbol : { body: known.map(toDayTicker) }
})

const exchangeInfo = Effect.fnUntraced(function*(prices: Prices): Effect.fn.Return<FakeResponse> {
  const { value } = yield* Effect.orDie(prices.coins)
  const serverTime = yield* Clock.currentTimeMillis
  const symbols = value.filter(({ coin }) => coin !== quote).map(({ coin, delistedAt }) => ({
    symbol: `${coin}${quote}`,
    status: delistedAt === null ? "TRADING" : "BREAK",
    baseAsset: coin,
    baseAssetPrecision: 8,
    quoteAsset: quote,
    quotePrecision: 8,
    orderTypes: ["LIMIT", "MARKET"],
    isSpotTradingAllowed: true,
    filters: [{ filterType: "PRICE_FILTER", minPrice: "0.01000000", maxPrice: "1000000.00000000", tickSize: "0.01" }],
    permissions: []
  }))
  return { body: { timezone: "UTC", serverTime, rateLimits: [], exchangeFilters: [], symbols } }
})

const levelsOf = (levels: ReadonlyArray<BookLevel>, limit: number) =>
  levels.slice(0, limit).map(({ price, size }) => [formatDecimal(price), formatDecimal(size)])

const depth = Effect.fnUntraced(function*(books: Books, { query }: FakeRequest): Effect.fn.Return<FakeResponse> {
  const coin = coinOf(query.get("symbol"))
  const book = coin === undefined ? null : yield* valueOrNull(books.orderBook(coin))
  if (book === null) return invalidSymbol
  const limit = Math.min(5_000, queryNumber(query, "limit") ?? 100)
  return { body: { lastUpdateId: 1, bids: levelsOf(book.bids, limit), asks: levelsOf(book.asks, limit) } }
})

const weightOf = ({ path, query }: FakeRequest): number => {
  if (path.endsWith("/klines")) return 2
  if (path.endsWith("/exchangeInfo")) return 20
  if (path.endsWith("/depth")) {
    const limit = queryNumber(query, "limit") ?? 100
    return limit <= 100 ? 5 : limit <= 500 ? 25 : limit <= 1_000 ? 50 : 250
  }
  const symbols: unknown = JSON.parse(query.get("symbols") ?? "null")
  const count = isTexts(symbols) ? symbols.length : Infinity
  return count <= 20 ? 2 : count <= 100 ? 40 : 80
}

/** Creates a fake of Binance's spot API with USDT markets, according to Binance's REST documentation. */
export const makeBinanceSpot = (prices: Prices, books: Books): RequestHandler =>
  withWeightHeaders((request) => {
    switch (request.path) {
      case "/api/v3/klines":
        return klines(prices, request)
      case "/api/v3/ticker/24hr":
        return dayTickers(prices, request)
      case "/api/v3/exchangeInfo":
        return exchangeInfo(prices)
      case "/api/v3/depth":
        return depth(books, request)
      default:
        return Effect.succeed(null)
    }
  }, weightOf)
