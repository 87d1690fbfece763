/**
 * Fetches Binance's spot data, without an API key. One stablecoin counts as one dollar, because coin prices are usually
 * quoted in stablecoins.
 */
import type { Candle, Interval, OrderBook, SourceUnavailable, Ticker } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import {
  Decimal,
  InstantMs,
  lenientList,
  makeSource,
  Name,
  NonNegativeDecimal,
  type RetryPolicy,
  type Source,
  SourceHealth,
  type SourceResponse,
  sourceTimeOf,
  withValue
} from "../source/index.ts"
import type { SpotMarket } from "../venues/contracts.ts"
import { type KlineInterval, klinesSchema, toCandle } from "./klines.ts"
import { Depth, depths, requiredDepth, toOrderBook } from "./orderBookDepth.ts"
import { binanceFirewall, errorCodeOf, readBinanceRejection, readBinanceUsedWeight } from "./rejections.ts"

export interface BinanceSpotOptions {
  /** The base URL of Binance's spot API, by default a host that serves only market data. */
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

export class BinanceSpot extends Context.Service<BinanceSpot, {
  /** Lists every present and former market that is quoted in `quote`, for example `USDT`. */
  readonly markets: (quote: string) => Effect.Effect<SourceResponse<ReadonlyArray<SpotMarket>>, SourceUnavailable>
  /** Fetches at most 1,000 candles that open in the interval, oldest first, or null if the symbol does not exist. */
  readonly candles: (
    query: { readonly symbol: string; readonly interval: KlineInterval } & Interval
  ) => Effect.Effect<SourceResponse<ReadonlyArray<Candle> | null>, SourceUnavailable>
  /** Returns the time of the market's first minute, or null if the symbol does not exist or has no minute yet. */
  readonly firstMinute: (symbol: string) => Effect.Effect<SourceResponse<number | null>, SourceUnavailable>
  /**
   * Fetches the 24-hour tickers of markets that have a price; a market that is not listed makes the whole request fail.
   */
  readonly tickers: (
    markets: ReadonlyArray<Pick<SpotMarket, "coin" | "symbol">>
  ) => Effect.Effect<SourceResponse<ReadonlyArray<Ticker>>, SourceUnavailable>
  /**
   * Fetches the current order book, at least 1 % deep if Binance offers enough levels, or null if the symbol does not
   * exist.
   */
  readonly orderBook: (symbol: string) => Effect.Effect<SourceResponse<OrderBook | null>, SourceUnavailable>
}>()("@tapeline/market-live/BinanceSpot") {}

const defaultBaseUrl = "https://data-api.binance.vision"

const maxCandles = 1_000

const ExchangeInfo = Schema.Struct({
  symbols: lenientList(Schema.Struct({
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

const DayTickers = lenientList(DayTicker)

const tickerCost = (symbols: number): number => symbols <= 20 ? 2 : symbols <= 100 ? 40 : 80

const klineSchemas = {
  "1m": klinesSchema("1m"),
  "5m": klinesSchema("5m")
}

const isUnknownSymbol = (body: unknown): boolean => errorCodeOf(body) === -1121

const fetchKlines = (
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
    label: "klines",
    path: "/api/v3/klines",
    query: { symbol, interval, startTime: from, endTime: to === undefined ? undefined : to - 1, limit },
    cost: 2,
    schema: klineSchemas[interval],
    isAbsent: isUnknownSymbol
  })

const makeOrderBookReader = (source: Source): BinanceSpot["Service"]["orderBook"] => {
  const sufficientDepths = new Map<string, number>()
  const read = (symbol: string, depthIndex: number): ReturnType<BinanceSpot["Service"]["orderBook"]> => {
    const { cost, limit } = depths[depthIndex]!
    const response = source.find({
      label: "order book",
      path: "/api/v3/depth",
      query: { symbol, limit },
      cost,
      schema: Depth,
      isAbsent: isUnknownSymbol
    })
    return Effect.flatMap(response, (answer) => {
      if (answer.value === null) return Effect.succeed(withValue(answer, null))
      const book = toOrderBook(answer.value, limit, sourceTimeOf(answer))
      const { asksReach = Infinity, bidsReach = Infinity } = book
      const isDeep = Math.min(bidsReach, asksReach) >= requiredDepth
      if (!isDeep && depthIndex + 1 < depths.length) return read(symbol, depthIndex + 1)
      sufficientDepths.set(symbol, depthIndex)
      return Effect.succeed(withValue(answer, book))
    })
  }
  return (symbol) => Effect.suspend(() => read(symbol, sufficientDepths.get(symbol) ?? 0))
}

/**
 * Converts Binance's 24-hour ticker to a `Ticker`. Returns undefined for a market without trades, for which Binance
 * sends only zeros.
 */
const toTicker = (coin: string, ticker: typeof DayTicker.Type): Ticker | undefined => {
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

const makeService = (source: Source): BinanceSpot["Service"] => ({
  orderBook: makeOrderBookReader(source),

  markets: (quote) =>
    Effect.map(
      source.json({
        label: "markets",
        path: "/api/v3/exchangeInfo",
        query: { showPermissionSets: "false" },
        cost: 20,
        // The large size is needed because the response includes all trading rules of each market.
        maxBytes: 48 * 1024 * 1024,
        schema: ExchangeInfo,
        cacheMs: 60_000
      }),
      (answer) =>
        withValue(
          answer,
          answer.value.symbols.filter(({ quoteAsset }) => quoteAsset === quote).map((market) => ({
            coin: market.baseAsset,
            symbol: market.symbol,
            quote,
            isTrading: market.status === "TRADING"
          }))
        )
    ),

  candles: ({ from, interval, symbol, to }) =>
    Effect.map(fetchKlines(source, { symbol, interval, from, to, limit: maxCandles }), (answer) => {
      const now = sourceTimeOf(answer)
      const inside = answer.value?.filter(([time]) => time >= from && time < to)
      return withValue(answer, inside?.map((row) => toCandle(row, now)) ?? null)
    }),

  firstMinute: (symbol) =>
    Effect.map(
      fetchKlines(source, { symbol, interval: "1m", from: 0, limit: 1 }),
      (answer) => withValue(answer, answer.value?.[0]?.[0] ?? null)
    ),

  tickers: (markets) => {
    const coins = new Map(markets.map(({ coin, symbol }) => [symbol, coin]))
    return Effect.map(
      source.json({
        label: "tickers",
        path: "/api/v3/ticker/24hr",
        query: { symbols: JSON.stringify([...coins.keys()]) },
        cost: tickerCost(coins.size),
        schema: DayTickers
      }),
      (answer) =>
        withValue(
          answer,
          answer.value.flatMap((ticker) => {
            const coin = coins.get(ticker.symbol)
            const converted = coin === undefined ? undefined : toTicker(coin, ticker)
            return converted === undefined ? [] : [converted]
          })
        )
    )
  }
})

/** Binance allows a weight of 6,000 a minute per IP address, of which one sixth is left to other users. */
const limits = [{ weight: 5_000, windowMs: 60_000 }]

export const layerBinanceSpot = (
  { baseUrl = defaultBaseUrl, retryPolicy = {} }: BinanceSpotOptions = {}
): Layer.Layer<BinanceSpot, never, SourceHealth> =>
  Layer.effect(
    BinanceSpot,
    Effect.map(
      makeSource({
        name: "binance",
        part: "spot",
        baseUrl,
        limits,
        readBodyRejection: readBinanceRejection,
        rateLimit403: binanceFirewall,
        readUsedWeight: readBinanceUsedWeight,
        next: "bybit",
        retryPolicy
      }),
      makeService
    )
  )
