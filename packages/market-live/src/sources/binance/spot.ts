/**
 * Binance's spot market, without a key: markets, candles with the taker's side, and the last 24 hours.
 *
 * Prices are in the stablecoin of the market's quote. One stablecoin counts as one dollar, because a coin's price is
 * usually quoted that way.
 */
import type { Candle, Interval, OrderBook, SourceUnavailable, Ticker } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import {
  type Answer,
  answering,
  Decimal,
  InstantMs,
  listOf,
  makeSource,
  Name,
  NonNegativeDecimal,
  type Patience,
  presentOf,
  type Source,
  SourceHealth
} from "../../source/index.ts"
import type { SpotMarket } from "../spotMarket.ts"
import { bookOf, Depth, depths, wantedReach } from "./depth.ts"
import { candleOf, type KlineInterval, klinesOf } from "./klines.ts"
import { codeOf, firewallOfBinance, refusedByBinance, usedWeightOfBinance } from "./refusals.ts"

export interface BinanceSpotOptions {
  /** The host with only market data. `https://api.binance.com` has the same data. */
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
}

export class BinanceSpot extends Context.Service<BinanceSpot, {
  /** Every present or former market that is quoted in `quote` (`USDT`). */
  readonly markets: (quote: string) => Effect.Effect<Answer<ReadonlyArray<SpotMarket>>, SourceUnavailable>
  /**
   * At most 1,000 candles that open in the interval, from `from` on, oldest first. The running candle is not closed.
   * Null if the symbol does not exist.
   */
  readonly candles: (
    query: { readonly symbol: string; readonly interval: KlineInterval } & Interval
  ) => Effect.Effect<Answer<ReadonlyArray<Candle> | null>, SourceUnavailable>
  /** When the market's first minute began; null if the symbol does not exist, or has no minute yet. */
  readonly firstMinute: (symbol: string) => Effect.Effect<Answer<number | null>, SourceUnavailable>
  /**
   * The last 24 hours of listed markets. Markets without a price are missing. One unlisted market fails the whole
   * request.
   */
  readonly tickers: (
    markets: ReadonlyArray<Pick<SpotMarket, "coin" | "symbol">>
  ) => Effect.Effect<Answer<ReadonlyArray<Ticker>>, SourceUnavailable>
  /**
   * The present order book, 1 % of price deep on either side if it has as many levels. It requests the number of levels
   * that sufficed last time, and more if they do not suffice.
   */
  readonly orderBook: (symbol: string) => Effect.Effect<Answer<OrderBook | null>, SourceUnavailable>
}>()("@tapeline/market-live/BinanceSpot") {}

const defaultBaseUrl = "https://data-api.binance.vision"

/** The maximum number of candles in one response. */
const mostCandles = 1_000

const ExchangeInfo = Schema.Struct({
  symbols: listOf(Schema.Struct({
    symbol: Name,
    status: Name,
    baseAsset: Name,
    quoteAsset: Name
  }))
})

const DayTicker = Schema.Struct({
  symbol: Name,
  openPrice: NonNegativeDecimal,
  priceChangePercent: Decimal,
  lastPrice: NonNegativeDecimal,
  highPrice: NonNegativeDecimal,
  lowPrice: NonNegativeDecimal,
  quoteVolume: NonNegativeDecimal,
  closeTime: InstantMs
})

const DayTickers = listOf(DayTicker)

/** The weight of a request for some symbols. */
const tickerCost = (symbols: number): number => symbols <= 20 ? 2 : symbols <= 100 ? 40 : 80

const klines = {
  "1m": klinesOf("1m"),
  "5m": klinesOf("5m")
}

const isUnknownSymbol = (body: unknown): boolean => codeOf(body) === -1121

const askKlines = (
  source: Source,
  { from, interval, limit, symbol, to }: {
    readonly symbol: string
    readonly interval: KlineInterval
    readonly from: number
    readonly to?: number
    readonly limit: number
  }
) =>
  source.find({
    what: "klines",
    path: "/api/v3/klines",
    query: { symbol, interval, startTime: from, endTime: to === undefined ? undefined : to - 1, limit },
    cost: 2,
    schema: klines[interval],
    absent: isUnknownSymbol
  })

const bookReader = (source: Source): BinanceSpot["Service"]["orderBook"] => {
  const enough = new Map<string, number>()
  const read = (symbol: string, nth: number): ReturnType<BinanceSpot["Service"]["orderBook"]> => {
    const { cost, limit } = depths[nth]!
    const asked = source.find({
      what: "order book",
      path: "/api/v3/depth",
      query: { symbol, limit },
      cost,
      schema: Depth,
      absent: isUnknownSymbol
    })
    return Effect.flatMap(asked, (answer) => {
      if (answer.value === null) return Effect.succeed(answering(answer, null))
      const book = bookOf(answer.value, limit, presentOf(answer))
      const { asksReach = Infinity, bidsReach = Infinity } = book
      const isDeep = Math.min(bidsReach, asksReach) >= wantedReach
      if (!isDeep && nth + 1 < depths.length) return read(symbol, nth + 1)
      enough.set(symbol, nth)
      return Effect.succeed(answering(answer, book))
    })
  }
  return (symbol) => Effect.suspend(() => read(symbol, enough.get(symbol) ?? 0))
}

/** Returns undefined for a market without trades, whose numbers are all 0. */
const tickerOf = (coin: string, ticker: typeof DayTicker.Type): Ticker | undefined => {
  const { closeTime, highPrice, lastPrice, lowPrice, openPrice, priceChangePercent, quoteVolume } = ticker
  if (lastPrice <= 0 || lowPrice <= 0 || openPrice <= 0 || highPrice < lastPrice || lowPrice > lastPrice) {
    return undefined
  }
  return {
    coin,
    time: closeTime,
    price: lastPrice,
    change24hPct: priceChangePercent,
    high24h: highPrice,
    low24h: lowPrice,
    volume24hUsd: quoteVolume,
    marketCapUsd: null
  }
}

const overSource = (source: Source): BinanceSpot["Service"] => ({
  orderBook: bookReader(source),

  markets: (quote) =>
    Effect.map(
      source.json({
        what: "markets",
        path: "/api/v3/exchangeInfo",
        query: { showPermissionSets: "false" },
        cost: 20,
        // Each market includes all its trading rules.
        maxBytes: 48 * 1024 * 1024,
        schema: ExchangeInfo,
        cacheMs: 60_000
      }),
      (answer) =>
        answering(
          answer,
          answer.value.symbols.filter(({ quoteAsset }) => quoteAsset === quote).map((market) => ({
            coin: market.baseAsset,
            symbol: market.symbol,
            quote,
            trades: market.status === "TRADING"
          }))
        )
    ),

  candles: ({ from, interval, symbol, to }) =>
    Effect.map(askKlines(source, { symbol, interval, from, to, limit: mostCandles }), (answer) => {
      const now = presentOf(answer)
      const inside = answer.value?.filter(([time]) => time >= from && time < to)
      return answering(answer, inside?.map((row) => candleOf(row, now)) ?? null)
    }),

  firstMinute: (symbol) =>
    Effect.map(
      askKlines(source, { symbol, interval: "1m", from: 0, limit: 1 }),
      (answer) => answering(answer, answer.value?.[0]?.[0] ?? null)
    ),

  tickers: (markets) => {
    const coins = new Map(markets.map(({ coin, symbol }) => [symbol, coin]))
    return Effect.map(
      source.json({
        what: "tickers",
        path: "/api/v3/ticker/24hr",
        query: { symbols: JSON.stringify([...coins.keys()]) },
        cost: tickerCost(coins.size),
        schema: DayTickers
      }),
      (answer) =>
        answering(
          answer,
          answer.value.flatMap((ticker) => {
            const coin = coins.get(ticker.symbol)
            const told = coin === undefined ? undefined : tickerOf(coin, ticker)
            return told === undefined ? [] : [told]
          })
        )
    )
  }
})

/** Binance allows a weight of 6,000 a minute per address. A sixth is left to other users of the address. */
const limits = [{ weight: 5_000, windowMs: 60_000 }]

export const layerBinanceSpot = (
  { baseUrl = defaultBaseUrl, patience = {} }: BinanceSpotOptions = {}
): Layer.Layer<BinanceSpot, never, SourceHealth> =>
  Layer.effect(
    BinanceSpot,
    Effect.map(
      makeSource({
        name: "binance",
        part: "spot",
        baseUrl,
        limits,
        refusedInBody: refusedByBinance,
        limitedBy403: firewallOfBinance,
        usedWeight: usedWeightOfBinance,
        next: "bybit",
        patience
      }),
      overSource
    )
  )
