import {
  bucketStart,
  type Candle,
  type Dividend,
  type EquityCountry,
  localDay,
  mergeCandles,
  nextSession,
  sessionOf,
  type Split,
  weekMs
} from "@tapeline/core/market"
import type { YahooChart } from "./rows.ts"

/** A bar from Yahoo, which is adjusted for splits but not for dividends. */
export interface YahooBar {
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  /** The closing price of a daily bar, adjusted for dividends, or null for an intraday bar. */
  readonly adjustedClose: number | null
}

/** Rounds to seven digits, because Yahoo's prices are 32-bit floats. */
export const roundToSevenDigits = (x: number): number => Number(x.toPrecision(7))

/** Converts a chart to bars, without rows that are implausible or have no trades. */
export const toBars = (
  { indicators: { adjclose, quote: [columns] }, timestamp = [] }: YahooChart
): ReadonlyArray<YahooBar> => {
  if (!("close" in columns)) return []
  const adjusted = adjclose?.[0].adjclose
  return timestamp.flatMap((time, i) => {
    const [open, high, low, close] = [columns.open[i], columns.high[i], columns.low[i], columns.close[i]]
    if (open == null || high == null || low == null || close == null) return []
    if (low > Math.min(open, close) || high < Math.max(open, close)) return []
    return [{ time, open, high, low, close, volume: columns.volume[i] ?? 0, adjustedClose: adjusted?.[i] ?? null }]
  })
}

/**
 * Returns one bar per session, with the session's opening time. If a session has two bars, the later bar is complete
 * and is returned.
 */
export const toSessionBars = (bars: ReadonlyArray<YahooBar>, country: EquityCountry): ReadonlyArray<YahooBar> => {
  const byOpening = new Map<number, YahooBar>()
  for (const bar of bars) {
    const session = sessionOf(country, localDay(country, bar.time))
    if (session !== undefined) byOpening.set(session.openAt, { ...bar, time: session.openAt })
  }
  return [...byOpening.values()].sort((a, b) => a.time - b.time)
}

/**
 * Returns bars that are aligned to the opening of their session. Yahoo's separate bar for the newest trade is merged
 * into the bar of its interval.
 */
export const toIntradayBars = (
  bars: ReadonlyArray<YahooBar>,
  country: EquityCountry,
  length: number
): ReadonlyArray<YahooBar> => {
  const byStart = new Map<number, YahooBar>()
  for (const bar of bars) {
    const session = sessionOf(country, localDay(country, bar.time))
    if (session === undefined || bar.time < session.openAt || bar.time >= session.closeAt) continue
    const time = session.openAt + Math.floor((bar.time - session.openAt) / length) * length
    const before = byStart.get(time)
    byStart.set(
      time,
      before === undefined ? { ...bar, time } : {
        ...before,
        high: Math.max(before.high, bar.high),
        low: Math.min(before.low, bar.low),
        close: bar.close,
        volume: before.volume + bar.volume
      }
    )
  }
  return [...byStart.values()].sort((a, b) => a.time - b.time)
}

/** Returns the end of a bar, which is at most the end of its session. */
export const endOfBar = (time: number, country: EquityCountry, length: number): number =>
  Math.min(time + length, sessionOf(country, localDay(country, time))?.closeAt ?? time + length)

/** Returns the opening time of the first session in which a corporate action is effective. */
const effectiveAt = (time: number, country: EquityCountry): number => {
  const day = localDay(country, time)
  return (sessionOf(country, day) ?? nextSession(country, day)).openAt
}

export interface CorporateActions {
  readonly splits: ReadonlyArray<Split>
  /** The dividends of a stock as they were paid, per share at the time of payment. */
  readonly dividends: ReadonlyArray<Dividend>
}

/** Returns how many current shares correspond to one share at an earlier time. */
export const sharesSince = (splits: ReadonlyArray<Split>, time: number): number =>
  splits.reduce((shares, split) => split.time > time ? shares * split.ratio : shares, 1)

export const toCorporateActions = ({ events = {} }: YahooChart, country: EquityCountry): CorporateActions => {
  const splits = Object.values(events.splits ?? {})
    .map(({ date, denominator, numerator }) => ({ time: effectiveAt(date, country), ratio: numerator / denominator }))
    .filter(({ ratio }) => ratio !== 1)
    .sort((a, b) => a.time - b.time)
  const amountByTime = new Map<number, number>()
  for (const { amount, date } of Object.values(events.dividends ?? {})) {
    if (amount === 0) continue
    const time = effectiveAt(date, country)
    // A dividend on the day of a split is per new share.
    amountByTime.set(time, (amountByTime.get(time) ?? 0) + amount * sharesSince(splits, time))
  }
  const dividends = Array.from(amountByTime, ([time, amount]) => ({ time, amount: roundToSevenDigits(amount) }))
  return { splits, dividends: dividends.sort((a, b) => a.time - b.time) }
}

/** Converts a bar to core's candle, with the traded value estimated from the volume and the bar's typical price. */
export const toCandle = (bar: YahooBar, factor: number, shares: number, closed: boolean): Candle => {
  const scaled = (price: number): number => roundToSevenDigits(price * factor)
  const [open, high, low, close] = [scaled(bar.open), scaled(bar.high), scaled(bar.low), scaled(bar.close)]
  const volume = bar.volume / shares
  return {
    time: bar.time,
    open,
    high,
    low,
    close,
    volume,
    quoteVolume: volume * (high + low + close) / 3,
    takerBuyVolume: null,
    closed
  }
}

/** Aggregates days into weeks, each of which has the time of its first session and closes with its last session. */
export const toWeeks = (days: ReadonlyArray<Candle>, country: EquityCountry, now: number): ReadonlyArray<Candle> =>
  [...Map.groupBy(days, ({ time }) => bucketStart("1w", time))].flatMap(([monday, [first, ...rest]]) => {
    if (first === undefined) return []
    const last = rest.at(-1) ?? first
    const next = nextSession(country, localDay(country, last.time)).openAt
    return [mergeCandles(first.time, [first, ...rest], last.closed && Math.max(next, now) >= monday + weekMs)]
  })
