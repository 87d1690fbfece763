/** Implements `EquityMarkets.history` with Yahoo's charts. */
import {
  type Candle,
  dayMs,
  durationMs,
  type EquityCountry,
  type EquityHistory,
  type EquityTimeframe,
  localDay,
  makeReading,
  type MarketError,
  minuteMs,
  NoData,
  type Reading,
  sessionOf,
  type Stock
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { type SourceResponse, sourceTimeOf } from "../source/index.ts"
import {
  type CorporateActions,
  endOfBar,
  sharesSince,
  toBars,
  toCandle,
  toCorporateActions,
  toIntradayBars,
  toSessionBars,
  toWeeks,
  type YahooBar
} from "./bars.ts"
import { findStock, noneRecorded } from "./findStocks.ts"
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

/**
 * The intraday bars that Yahoo provides, and how long Yahoo keeps them. The retention times are one day shorter than
 * Yahoo's, as a margin for transmission.
 */
const intraday = {
  "15m": { interval: "15m", retentionMs: 59 * dayMs, sessionBars: 26 },
  "1h": { interval: "60m", retentionMs: 729 * dayMs, sessionBars: 7 }
} as const satisfies Partial<
  Record<EquityTimeframe, {
    readonly interval: YahooInterval
    readonly retentionMs: number
    readonly sessionBars: number
  }>
>

/** Returns the number of calendar days that contain a number of sessions, with a margin for holidays. */
const calendarDaysFor = (sessions: number): number => Math.ceil(sessions * 7 / 5 * 1.06) + 16

const midnight = (time: number): number => Math.floor(time / dayMs) * dayMs

/**
 * Returns the start of a minute that is one to two minutes after `now`. Requests within one minute use the same time,
 * and share one cached response.
 */
const nearFuture = (now: number): number => (Math.floor(now / minuteMs) + 2) * minuteMs

interface DailyData {
  readonly days: ReadonlyArray<YahooBar>
  readonly actions: CorporateActions
  /** `currentTime` is the time up to which bars are closed. `tradedAt` is the time of the newest trade. */
  readonly currentTime: number
  readonly tradedAt: number
}

const toDailyData = (answer: SourceResponse<YahooChart>, country: EquityCountry, now: number): DailyData => {
  const { meta } = answer.value
  const bars = toBars(answer.value)
  return {
    days: toSessionBars(bars, country),
    actions: toCorporateActions(answer.value, country),
    currentTime: Math.min(now, sourceTimeOf(answer)),
    tradedAt: Math.min(now, meta.regularMarketTime ?? bars.at(-1)?.time ?? now)
  }
}

/**
 * Returns a function that converts a bar to a candle. Prices are adjusted for dividends if `adjusted` is true, and are
 * otherwise the traded prices.
 */
const makeScale = ({ actions, days }: DailyData, country: EquityCountry, adjusted: boolean) => {
  const dividendFactors = new Map(
    days.map(({ adjustedClose: after, close, time }) => [time, after === null ? 1 : after / close])
  )
  return (bar: YahooBar, closed: boolean): Candle => {
    if (adjusted) {
      return toCandle(bar, dividendFactors.get(sessionOf(country, localDay(country, bar.time))!.openAt) ?? 1, 1, closed)
    }
    const shares = sharesSince(actions.splits, bar.time)
    return toCandle(bar, shares, shares, closed)
  }
}

const barLengthMs = { "15m": durationMs["15m"], "1h": durationMs["1h"], "1d": dayMs, "1w": dayMs } as const

const noHistoryError = ({ listedAt, symbol }: Stock, end: number): NoData =>
  listedAt !== null && end < listedAt
    ? new NoData({
      subject: `${symbol} history`,
      reason: {
        key: "none_before_listing",
        params: { coin: symbol, since: new Date(listedAt).toISOString().slice(0, 10) }
      }
    })
    : noneRecorded(symbol, "history")

const fetchChart = (yahoo: Service, symbol: string, interval: YahooInterval, from: number, now: number) =>
  yahoo.chart({ symbol, interval, from: midnight(from), to: nearFuture(now) })

export const makeHistoryRead = (yahoo: Service) =>
  Effect.fnUntraced(function*(query: HistoryQuery): Effect.fn.Return<Reading<EquityHistory>, MarketError> {
    const { adjusted = true, bars: count, symbol, timeframe } = query
    const { row, stock } = yield* findStock(yahoo, symbol)
    const { country } = stock
    const now = yield* Clock.currentTimeMillis
    const end = Math.min(query.until ?? now, now)
    const noHistory = noHistoryError(stock, end)
    const finer = timeframe === "1d" || timeframe === "1w" ? undefined : intraday[timeframe]
    const sessions = timeframe === "1w" ? 5 * (count + 1) : Math.ceil(count / (finer?.sessionBars ?? 1)) + 1
    const from = Math.max(
      end - calendarDaysFor(sessions) * dayMs,
      finer === undefined ? -Infinity : now - finer.retentionMs
    )
    if (from >= end) return yield* noHistory
    const daily = yield* fetchChart(yahoo, row.symbol, "1d", from, now)
    if (daily.value === null) return yield* noHistory
    const dailyData = toDailyData({ ...daily, value: daily.value }, country, now)
    const intradayChart = finer === undefined ? null : yield* fetchChart(yahoo, row.symbol, finer.interval, from, now)
    const bars = intradayChart === null
      ? dailyData.days
      : intradayChart.value === null
      ? []
      : toIntradayBars(toBars(intradayChart.value), country, barLengthMs[timeframe])
    const scale = makeScale(dailyData, country, adjusted)
    const endOf = (bar: { readonly time: number }) => endOfBar(bar.time, country, barLengthMs[timeframe])
    // For a time in the past, a bar that was open then is omitted, because only its final values are known.
    const visible = bars.filter((bar) => end === now ? bar.time <= end : endOf(bar) <= end)
    const scaled = visible.map((bar) => scale(bar, endOf(bar) <= dailyData.currentTime))
    const candles = (timeframe === "1w" ? toWeeks(scaled, country, end) : scaled).slice(-count)
    const [first, last] = [candles[0], visible.at(-1)]
    if (first === undefined || last === undefined) return yield* noHistory
    const isShown = ({ time }: { readonly time: number }) => time >= first.time && time <= end
    const { dividends, splits } = dailyData.actions
    const asOf = endOf(last) <= dailyData.currentTime
      ? endOf(last)
      : Math.max(last.time + 1, Math.min(dailyData.tradedAt, now))
    return makeReading(
      { candles, adjusted, splits: splits.filter(isShown), dividends: dividends.filter(isShown) },
      yahooName,
      Math.min(asOf, now)
    )
  })
