import {
  dayMs,
  hourMs,
  type KoreanCoinMarkets,
  type KrwExchange,
  type KrwTicker,
  minuteMs
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse } from "../server/FakeServer.ts"
import { queryNumber } from "../server/numbers.ts"

type Markets = KoreanCoinMarkets["Service"]

export const koreanOffsetMs = 9 * hourMs

const lengths: Readonly<Record<string, number>> = {
  "minutes/1": minuteMs,
  "minutes/5": 5 * minuteMs,
  "minutes/60": hourMs,
  days: dayMs,
  months: 31 * dayMs
}

export const errorResponse = (status: number, name: string | number, message: string): FakeResponse => ({
  status,
  body: { error: { name, message } }
})
export const codeNotFound = errorResponse(404, 404, "Code not found")

export const readOpenMarkets = (
  markets: Markets,
  exchange: KrwExchange
): Effect.Effect<ReadonlyMap<string, KrwTicker>> =>
  Effect.map(
    Effect.orDie(markets.tickers),
    ({ value }) =>
      new Map(value.filter((ticker) => ticker.exchange === exchange).map((ticker) => [ticker.coin, ticker]))
  )

/** Returns the start times of at most `count` candles between `first` and `to`, newest first. */
const openingTimes = (
  length: number,
  shiftMs: number,
  first: number,
  to: number,
  count: number
): ReadonlyArray<number> => {
  if (length > dayMs) {
    const candleTimes: Array<number> = []
    const date = new Date(to - 1 + shiftMs)
    for (let i = 0; i < count; i++) {
      const time = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - i) - shiftMs
      candleTimes.push(time)
      if (time <= first) break
    }
    return candleTimes
  }
  const newest = Math.floor((to - 1 + shiftMs) / length) * length - shiftMs
  const all = Math.floor((newest - first) / length) + 2
  return Array.from({ length: Math.max(0, Math.min(count, all)) }, (_, i) => newest - i * length)
    .filter((time) => time + length > first)
}

const readPricesAt = Effect.fnUntraced(function*(
  markets: Markets,
  { coin, exchange }: KrwTicker,
  times: ReadonlyArray<number>,
  stepMs: number
) {
  if (times.length === 0 || stepMs > hourMs) return new Map<number, number>()
  const read = markets.history({ coin, exchange, stepMs, from: times.at(-1)!, to: times[0]! + stepMs + 1 })
  const points = yield* read.pipe(
    Effect.map(({ value }) => value.points),
    Effect.catchTag("NoData", () => Effect.succeed([])),
    Effect.orDie
  )
  return new Map(points.map(({ krwPrice, time }) => [time, krwPrice]))
})

const wallClock = (time: number): string => new Date(time).toISOString().slice(0, 19)

export interface CandleApi {
  readonly exchange: KrwExchange
  readonly dayShiftMs: number
  /** Parses the `to` parameter of a request, and returns undefined for an invalid parameter. */
  readonly parseBoundary: (to: string) => number | undefined
}

/**
 * Serves candles, newest first. Candles longer than an hour contain the current price, because clients use only the
 * times of these candles.
 */
export const serveCandles = Effect.fnUntraced(
  function*(
    markets: Markets,
    { path, query }: FakeRequest,
    { parseBoundary, dayShiftMs, exchange }: CandleApi
  ): Effect.fn.Return<FakeResponse> {
    const length = lengths[path.replace("/v1/candles/", "")]
    if (length === undefined) return errorResponse(400, "invalid_parameter", "unit")
    const now = yield* Clock.currentTimeMillis
    const requestedTo = query.get("to")
    const to = Math.min(now, requestedTo === null ? now : parseBoundary(requestedTo) ?? Number.NaN)
    if (Number.isNaN(to)) return errorResponse(400, "invalid_parameter", "to")
    const market = query.get("market") ?? ""
    const ticker = (yield* readOpenMarkets(markets, exchange)).get(market.replace("KRW-", ""))
    if (ticker === undefined || !market.startsWith("KRW-")) return codeNotFound
    const count = Math.min(200, queryNumber(query, "count") ?? 1)
    const shiftMs = length >= dayMs ? dayShiftMs : 0
    const times = openingTimes(length, shiftMs, ticker.listedAt ?? now, to, count)
    const prices = yield* readPricesAt(markets, ticker, times, length)
    return {
      body: times.map((time) => {
        const close = prices.get(time + length) ?? prices.get(time) ?? ticker.krwPrice
        const open = prices.get(time) ?? close
        const traded = ticker.volume24hKrw * (length / dayMs)
        return {
          market,
          candle_date_time_utc: wallClock(time),
          candle_date_time_kst: wallClock(time + koreanOffsetMs),
          opening_price: open,
          high_price: Math.max(open, close),
          low_price: Math.min(open, close),
          trade_price: close,
          timestamp: Math.min(now, time + length - 1),
          candle_acc_trade_price: traded,
          candle_acc_trade_volume: traded / close,
          ...(length < dayMs ? { unit: length / minuteMs } : { prev_closing_price: open })
        }
      })
    }
  }
)
