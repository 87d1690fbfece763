/** Bars of Yahoo's charts as bars of sessions. */
import {
  addUp,
  bucketStart,
  type Candle,
  type Dividend,
  type EquityCountry,
  localDay,
  nextSession,
  sessionOf,
  type Split,
  weekMs
} from "@tapeline/core/market"
import type { YahooChart } from "./rows.ts"

/** A bar as Yahoo has it: in shares of now, dividends left in. */
export interface YahooBar {
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  /** The close with dividends taken off, of a day. */
  readonly adjusted: number | null
}

/** Its prices went through floats of 32 bits: more than seven digits are none of a price. */
export const sevenDigits = (x: number): number => Number(x.toPrecision(7))

/** A row that was not traded is null in some place, and one that cannot be is no bar. */
export const barsOf = (
  { indicators: { adjclose, quote: [columns] }, timestamp = [] }: YahooChart
): ReadonlyArray<YahooBar> => {
  if (!("close" in columns)) return []
  const adjusted = adjclose?.[0].adjclose
  return timestamp.flatMap((time, i) => {
    const [open, high, low, close] = [columns.open[i], columns.high[i], columns.low[i], columns.close[i]]
    if (open == null || high == null || low == null || close == null) return []
    if (low > Math.min(open, close) || high < Math.max(open, close)) return []
    return [{ time, open, high, low, close, volume: columns.volume[i] ?? 0, adjusted: adjusted?.[i] ?? null }]
  })
}

/** One bar a session, at its opening. Of a running one there may be two: the newer has all of it. */
export const daysOf = (bars: ReadonlyArray<YahooBar>, country: EquityCountry): ReadonlyArray<YahooBar> => {
  const byOpening = new Map<number, YahooBar>()
  for (const bar of bars) {
    const session = sessionOf(country, localDay(country, bar.time))
    if (session !== undefined) byOpening.set(session.openAt, { ...bar, time: session.openAt })
  }
  return [...byOpening.values()].sort((a, b) => a.time - b.time)
}

/** Bars that begin with the session; the newest trade, which is told as one of its own, belongs to the one it is in. */
export const partsOf = (
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

/** When a bar ends: with its session at the latest. */
export const endOfBar = (time: number, country: EquityCountry, length: number): number =>
  Math.min(time + length, sessionOf(country, localDay(country, time))?.closeAt ?? time + length)

/** The opening of the session that something takes effect with. */
const effectiveAt = (time: number, country: EquityCountry): number => {
  const day = localDay(country, time)
  return (sessionOf(country, day) ?? nextSession(country, day)).openAt
}

export interface Actions {
  readonly splits: ReadonlyArray<Split>
  /** As they were paid: in shares of then. */
  readonly dividends: ReadonlyArray<Dividend>
}

/** Shares of now for one of an instant. */
export const sharesSince = (splits: ReadonlyArray<Split>, time: number): number =>
  splits.reduce((shares, split) => split.time > time ? shares * split.ratio : shares, 1)

export const actionsOf = ({ events = {} }: YahooChart, country: EquityCountry): Actions => {
  const splits = Object.values(events.splits ?? {})
    .map(({ date, denominator, numerator }) => ({ time: effectiveAt(date, country), ratio: numerator / denominator }))
    .filter(({ ratio }) => ratio !== 1)
    .sort((a, b) => a.time - b.time)
  const paid = new Map<number, number>()
  for (const { amount, date } of Object.values(events.dividends ?? {})) {
    if (amount === 0) continue
    const time = effectiveAt(date, country)
    // What goes with a split's opening is in its new shares; an extra one adds to what is paid with it.
    paid.set(time, (paid.get(time) ?? 0) + amount * sharesSince(splits, time))
  }
  const dividends = Array.from(paid, ([time, amount]) => ({ time, amount: sevenDigits(amount) }))
  return { splits, dividends: dividends.sort((a, b) => a.time - b.time) }
}

/** The value of what was traded is not told: here it is that of the volume at the middle of the bar. */
export const candleOf = (bar: YahooBar, factor: number, shares: number, closed: boolean): Candle => {
  const scaled = (price: number): number => sevenDigits(price * factor)
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

/** Days made weeks, which begin with their first session; one is open until its last session has closed. */
export const weeksOf = (days: ReadonlyArray<Candle>, country: EquityCountry, now: number): ReadonlyArray<Candle> =>
  [...Map.groupBy(days, ({ time }) => bucketStart("1w", time))].flatMap(([monday, [first, ...rest]]) => {
    if (first === undefined) return []
    const last = rest.at(-1) ?? first
    const next = nextSession(country, localDay(country, last.time)).openAt
    return [addUp(first.time, [first, ...rest], last.closed && Math.max(next, now) >= monday + weekMs)]
  })
