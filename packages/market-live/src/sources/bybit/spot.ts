/** Bybit's spot markets: candles, the last 24 hours, and the list of markets. */
import type { Candle, Interval, SourceUnavailable, Ticker } from "@tapeline/core/market"
import { Effect, Schema } from "effect"
import {
  type Answer,
  answering,
  Decimal,
  listOf,
  Name,
  NonNegativeDecimal,
  presentOf,
  type Source
} from "../../source/index.ts"
import type { SpotMarket } from "../spotMarket.ts"
import { SpotInstruments, spotMarketsOf } from "./instruments.ts"
import { answered, isUnknownSymbol } from "./refusals.ts"
import { type BybitKlineLength, candleOf, klineLengths, klineNames, Klines, Months } from "./rows.ts"

const mostCandles = 1_000

const Tickers = answered(Schema.Struct({
  category: Schema.Literal("spot"),
  list: listOf(Schema.Struct({
    symbol: Name,
    lastPrice: NonNegativeDecimal,
    highPrice24h: NonNegativeDecimal,
    lowPrice24h: NonNegativeDecimal,
    // A fraction.
    price24hPcnt: Decimal,
    turnover24h: NonNegativeDecimal
  }))
}))

/** Returns undefined for a market without trades, whose numbers are all 0. */
const tickerOf = (
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

const within = ({ from, to }: Interval) => ({ time }: { readonly time: number }): boolean => time >= from && time < to

type Read<A> = Effect.Effect<Answer<A>, SourceUnavailable>

export interface BybitSpot {
  /** Every present spot market that is quoted in `quote` (`USDT`). */
  readonly spotMarkets: (quote: string) => Read<ReadonlyArray<SpotMarket>>
  /** At most 1,000 spot candles; null if the symbol does not exist. The running candle is not closed. */
  readonly candles: (
    query: { readonly symbol: string; readonly interval: BybitKlineLength } & Interval
  ) => Read<ReadonlyArray<Candle> | null>
  /** When the month began in which a spot market opened; null if the symbol does not exist. */
  readonly firstMonth: (symbol: string) => Read<number | null>
  /** The last 24 hours of spot markets. Markets without a price are missing. */
  readonly tickers: (markets: ReadonlyArray<Pick<SpotMarket, "coin" | "symbol">>) => Read<ReadonlyArray<Ticker>>
}

export const spotOf = ({ find, json }: Source): BybitSpot => ({
  spotMarkets: (quote) =>
    Effect.map(
      json({
        what: "markets",
        path: "/v5/market/instruments-info",
        query: { category: "spot" },
        schema: SpotInstruments,
        cacheMs: 60_000
      }),
      (answer) => answering(answer, spotMarketsOf(answer.value, quote))
    ),

  candles: ({ interval, symbol, ...asked }) => {
    const length = klineLengths[interval]
    const end = Math.min(asked.to, Math.ceil(asked.from / length) * length + mostCandles * length) - 1
    const found = find({
      what: "klines",
      path: "/v5/market/kline",
      query: {
        category: "spot",
        symbol,
        interval: klineNames[interval],
        start: asked.from,
        // Bybit returns the newest rows if there are more than fit, so no more than fit are requested.
        end,
        limit: mostCandles
      },
      schema: Klines[interval],
      absent: isUnknownSymbol
    })
    return Effect.map(found, (answer) => {
      const now = Math.min(presentOf(answer), answer.value?.time ?? Infinity)
      const rows = answer.value?.result.list.map((row) => candleOf(row, length, now)).toReversed()
      return answering(answer, rows?.filter(within(asked)) ?? null)
    })
  },

  firstMonth: (symbol) =>
    Effect.map(
      find({
        what: "months",
        path: "/v5/market/kline",
        query: { category: "spot", symbol, interval: "M", start: 0, limit: mostCandles },
        schema: Months,
        absent: isUnknownSymbol
      }),
      (answer) => answering(answer, answer.value?.result.list.at(-1)?.[0] ?? null)
    ),

  tickers: (markets) => {
    const coins = new Map(markets.map(({ coin, symbol }) => [symbol, coin]))
    return Effect.map(
      json({ what: "tickers", path: "/v5/market/tickers", query: { category: "spot" }, schema: Tickers }),
      (answer) =>
        answering(
          answer,
          answer.value.result.list.flatMap((row) => {
            const coin = coins.get(row.symbol)
            const told = coin === undefined ? undefined : tickerOf(coin, answer.value.time, row)
            return told === undefined ? [] : [told]
          })
        )
    )
  }
})
