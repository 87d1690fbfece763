import type { Candle, Interval, SourceUnavailable, Ticker } from "@tapeline/core/market"
import { Effect, Schema } from "effect"
import {
  Decimal,
  lenientList,
  Name,
  NonNegativeDecimal,
  type Source,
  type SourceResponse,
  sourceTimeOf,
  withValue
} from "../source/index.ts"
import type { SpotMarket } from "../venues/contracts.ts"
import { SpotInstruments, toSpotMarkets } from "./instruments.ts"
import { isUnknownSymbol, successResponse } from "./rejections.ts"
import { type BybitKlineLength, klineLengths, klineNames, Klines, MonthKlines, toCandle } from "./rows.ts"

const maxCandles = 1_000

const Tickers = successResponse(Schema.Struct({
  category: Schema.Literal("spot"),
  list: lenientList(Schema.Struct({
    symbol: Name,
    lastPrice: NonNegativeDecimal,
    highPrice24h: NonNegativeDecimal,
    lowPrice24h: NonNegativeDecimal,
    // `price24hPcnt` is a fraction, not a percentage.
    price24hPcnt: Decimal,
    turnover24h: NonNegativeDecimal
  }))
}))

/**
 * Converts Bybit's 24-hour ticker to a `Ticker`. Returns undefined for a market without trades, for which Bybit sends
 * only zeros.
 */
const toTicker = (
  coin: string,
  time: number,
  { highPrice24h, lastPrice, lowPrice24h, price24hPcnt, turnover24h }: typeof Tickers.Type["result"]["list"][number]
): Ticker | undefined =>
  lastPrice <= 0 || lowPrice24h <= 0 || highPrice24h < lastPrice || lowPrice24h > lastPrice
    ? undefined
    : {
      coin,
      time,
      price: lastPrice,
      change24hPct: price24hPcnt * 100,
      high24h: highPrice24h,
      low24h: lowPrice24h,
      volume24hUsd: turnover24h,
      marketCapUsd: null
    }

const isWithin = ({ from, to }: Interval) => ({ time }: { readonly time: number }): boolean => time >= from && time < to

type Read<A> = Effect.Effect<SourceResponse<A>, SourceUnavailable>

export interface BybitSpot {
  /** Lists every current spot market that is quoted in `quote`, for example `USDT`. */
  readonly spotMarkets: (quote: string) => Read<ReadonlyArray<SpotMarket>>
  /** Fetches at most 1,000 spot candles, or null if the symbol does not exist. */
  readonly candles: (
    query: { readonly symbol: string; readonly interval: BybitKlineLength } & Interval
  ) => Read<ReadonlyArray<Candle> | null>
  /** Returns the start of the month in which a spot market opened, or null if the symbol does not exist. */
  readonly firstMonth: (symbol: string) => Read<number | null>
  /** Fetches the 24-hour tickers of spot markets that have a price. */
  readonly tickers: (markets: ReadonlyArray<Pick<SpotMarket, "coin" | "symbol">>) => Read<ReadonlyArray<Ticker>>
}

export const makeSpotMethods = ({ find, json }: Source): BybitSpot => ({
  spotMarkets: (quote) =>
    Effect.map(
      json({
        label: "markets",
        path: "/v5/market/instruments-info",
        query: { category: "spot" },
        schema: SpotInstruments,
        cacheMs: 60_000
      }),
      (answer) => withValue(answer, toSpotMarkets(answer.value, quote))
    ),

  candles: ({ interval, symbol, ...range }) => {
    const length = klineLengths[interval]
    const end = Math.min(range.to, Math.ceil(range.from / length) * length + maxCandles * length) - 1
    const response = find({
      label: "klines",
      path: "/v5/market/kline",
      query: {
        category: "spot",
        symbol,
        interval: klineNames[interval],
        start: range.from,
        // Bybit returns only the newest rows of a longer range, so the range is limited to one response.
        end,
        limit: maxCandles
      },
      schema: Klines[interval],
      isAbsent: isUnknownSymbol
    })
    return Effect.map(response, (answer) => {
      const now = Math.min(sourceTimeOf(answer), answer.value?.time ?? Infinity)
      const rows = answer.value?.result.list.map((row) => toCandle(row, length, now)).toReversed()
      return withValue(answer, rows?.filter(isWithin(range)) ?? null)
    })
  },

  firstMonth: (symbol) =>
    Effect.map(
      find({
        label: "months",
        path: "/v5/market/kline",
        query: { category: "spot", symbol, interval: "M", start: 0, limit: maxCandles },
        schema: MonthKlines,
        isAbsent: isUnknownSymbol
      }),
      (answer) => withValue(answer, answer.value?.result.list.at(-1)?.[0] ?? null)
    ),

  tickers: (markets) => {
    const coins = new Map(markets.map(({ coin, symbol }) => [symbol, coin]))
    return Effect.map(
      json({ label: "tickers", path: "/v5/market/tickers", query: { category: "spot" }, schema: Tickers }),
      (answer) =>
        withValue(
          answer,
          answer.value.result.list.flatMap((row) => {
            const coin = coins.get(row.symbol)
            const converted = coin === undefined ? undefined : toTicker(coin, answer.value.time, row)
            return converted === undefined ? [] : [converted]
          })
        )
    )
  }
})
