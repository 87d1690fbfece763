/** `EquityMarkets.history` from Yahoo's charts. */
import {
  type Candle,
  dayMs,
  durationMs,
  type EquityCountry,
  type EquityHistory,
  type EquityTimeframe,
  localDay,
  type MarketError,
  minuteMs,
  NoData,
  type Reading,
  reading,
  sessionOf,
  type Stock
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { type Answer, presentOf } from "../../source/index.ts"
import {
  type Actions,
  actionsOf,
  barsOf,
  candleOf,
  daysOf,
  endOfBar,
  partsOf,
  sharesSince,
  weeksOf,
  type YahooBar
} from "./bars.ts"
import { findStock, noneRecorded } from "./find.ts"
import type { YahooChart } from "./rows.ts"
import { type Yahoo, type YahooInterval, yahooName } from "./Yahoo.ts"

type Service = Yahoo["Service"]

export interface HistoryQuery {
  readonly symbol: string
  readonly timeframe: EquityTimeframe
  readonly bars: number
  readonly until?: number
  readonly adjusted?: boolean
}

/** Yahoo's intraday bars, and how far back they reach. One day remains as a margin for transmission. */
const intraday = {
  "15m": { interval: "15m", reachesBackMs: 59 * dayMs, sessionBars: 26 },
  "1h": { interval: "60m", reachesBackMs: 729 * dayMs, sessionBars: 7 }
} as const satisfies Partial<
  Record<EquityTimeframe, {
    readonly interval: YahooInterval
    readonly reachesBackMs: number
    readonly sessionBars: number
  }>
>

/** The number of calendar days that contain this many sessions: five a week, with a margin for holidays of ten days. */
const daysFor = (sessions: number): number => Math.ceil(sessions * 7 / 5 * 1.06) + 16

const midnight = (time: number): number => Math.floor(time / dayMs) * dayMs

/**
 * The end of the requested interval: in the near future, on a full minute, so that requests of the same minute share a
 * cached response.
 */
const soon = (now: number): number => (Math.floor(now / minuteMs) + 2) * minuteMs

interface Told {
  readonly days: ReadonlyArray<YahooBar>
  readonly actions: Actions
  /** The time up to which bars are closed, and the time of the newest trade. */
  readonly present: number
  readonly tradedAt: number
}

const toldOf = (answer: Answer<YahooChart>, country: EquityCountry, now: number): Told => {
  const { meta } = answer.value
  const bars = barsOf(answer.value)
  return {
    days: daysOf(bars, country),
    actions: actionsOf(answer.value, country),
    present: Math.min(now, presentOf(answer)),
    tradedAt: Math.min(now, meta.regularMarketTime ?? bars.at(-1)?.time ?? now)
  }
}

/** Makes a function that scales the bars of each day: adjusted for dividends, or as they were traded. */
const scaleOf = ({ actions, days }: Told, country: EquityCountry, adjusted: boolean) => {
  const paid = new Map(days.map(({ adjusted: after, close, time }) => [time, after === null ? 1 : after / close]))
  return (bar: YahooBar, closed: boolean): Candle => {
    if (adjusted) {
      return candleOf(bar, paid.get(sessionOf(country, localDay(country, bar.time))!.openAt) ?? 1, 1, closed)
    }
    const shares = sharesSince(actions.splits, bar.time)
    return candleOf(bar, shares, shares, closed)
  }
}

const lengthOf = { "15m": durationMs["15m"], "1h": durationMs["1h"], "1d": dayMs, "1w": dayMs } as const

/** Explains why there is no data. */
const nothingOf = ({ listedAt, symbol }: Stock, end: number): NoData =>
  listedAt !== null && end < listedAt
    ? new NoData({
      subject: `${symbol} history`,
      reason: {
        key: "none_before_listing",
        params: { coin: symbol, since: new Date(listedAt).toISOString().slice(0, 10) }
      }
    })
    : noneRecorded(symbol, "history")

const chartOf = (yahoo: Service, symbol: string, interval: YahooInterval, from: number, now: number) =>
  yahoo.chart({ symbol, interval, from: midnight(from), to: soon(now) })

export const historyOf = (yahoo: Service) =>
  Effect.fnUntraced(function*(query: HistoryQuery): Effect.fn.Return<Reading<EquityHistory>, MarketError> {
    const { adjusted = true, bars: count, symbol, timeframe } = query
    const { row, stock } = yield* findStock(yahoo, symbol)
    const { country } = stock
    const now = yield* Clock.currentTimeMillis
    const end = Math.min(query.until ?? now, now)
    const nothing = nothingOf(stock, end)
    const finer = timeframe === "1d" || timeframe === "1w" ? undefined : intraday[timeframe]
    const sessions = timeframe === "1w" ? 5 * (count + 1) : Math.ceil(count / (finer?.sessionBars ?? 1)) + 1
    const from = Math.max(end - daysFor(sessions) * dayMs, finer === undefined ? -Infinity : now - finer.reachesBackMs)
    if (from >= end) return yield* nothing
    const daily = yield* chartOf(yahoo, row.symbol, "1d", from, now)
    if (daily.value === null) return yield* nothing
    const told = toldOf({ ...daily, value: daily.value }, country, now)
    const parts = finer === undefined ? null : yield* chartOf(yahoo, row.symbol, finer.interval, from, now)
    const bars = parts === null
      ? told.days
      : parts.value === null
      ? []
      : partsOf(barsOf(parts.value), country, lengthOf[timeframe])
    const scale = scaleOf(told, country, adjusted)
    const ended = (bar: { readonly time: number }) => endOfBar(bar.time, country, lengthOf[timeframe])
    // For a time in the past, a bar that was running then is omitted, because only its final values are known.
    const seen = bars.filter((bar) => end === now ? bar.time <= end : ended(bar) <= end)
    const whole = seen.map((bar) => scale(bar, ended(bar) <= told.present))
    const candles = (timeframe === "1w" ? weeksOf(whole, country, end) : whole).slice(-count)
    const [first, last] = [candles[0], seen.at(-1)]
    if (first === undefined || last === undefined) return yield* nothing
    const among = ({ time }: { readonly time: number }) => time >= first.time && time <= end
    const { dividends, splits } = told.actions
    const asOf = ended(last) <= told.present ? ended(last) : Math.max(last.time + 1, Math.min(told.tradedAt, now))
    return reading(
      { candles, adjusted, splits: splits.filter(among), dividends: dividends.filter(among) },
      yahooName,
      Math.min(asOf, now)
    )
  })
