import type { ActiveSignals, Candle, EndedSignals, Levels } from "./queries.ts"
import { type Timeframe, timeframes } from "./timeframe.ts"

export interface CandleSummary {
  readonly from: number
  readonly to: number
  readonly count: number
  readonly high: number
  readonly low: number
  readonly last: number
  /** The change from the first candle's open to the last candle's close, in percent. */
  readonly change_pct: number
}

export const summarizeCandles = (candles: ReadonlyArray<Candle>): CandleSummary | undefined => {
  const first = candles[0]
  const last = candles.at(-1)
  if (first === undefined || last === undefined) return undefined
  return {
    from: Date.parse(first.time),
    to: Date.parse(last.time),
    count: candles.length,
    high: candles.reduce((max, { high }) => Math.max(max, high), first.high),
    low: candles.reduce((min, { low }) => Math.min(min, low), first.low),
    last: last.close,
    change_pct: first.open === 0 ? 0 : (last.close / first.open - 1) * 100
  }
}

export const candleChangePct = ({ close, open }: Candle): number => open === 0 ? 0 : (close / open - 1) * 100

export interface PriceLine {
  readonly kind: "support" | "resistance" | "entry" | "take" | "stop"
  readonly price: number
  /** The number of price swings that form a support or resistance level. */
  readonly touches?: number
}

const maxLevelLines = 4

/**
 * Returns lines for the strongest support and resistance levels near the price. Omits distant levels, because distant
 * lines would flatten the candles.
 */
export const toLevelLines = (
  { atr, close, resistances, supports }: Pick<Levels, "atr" | "close" | "resistances" | "supports">
): ReadonlyArray<PriceLine> => {
  const maxDistance = atr === null ? close * 0.1 : Math.max(atr * 10, close * 0.02)
  const strongestLines = (kind: "support" | "resistance", levels: Levels["supports"]) =>
    levels
      .filter(({ price }) => Math.abs(price - close) <= maxDistance)
      .toSorted((a, b) => b.strength - a.strength)
      .slice(0, maxLevelLines)
      .map(({ price, touches }): PriceLine => ({ kind, price, touches }))
  return [...strongestLines("support", supports), ...strongestLines("resistance", resistances)]
}

type RunningSignal = ActiveSignals["signals"][number]

export const runningSignalsOf = ({ signals }: ActiveSignals, coin: string): ReadonlyArray<RunningSignal> =>
  signals.filter((signal) => signal.coin === coin)

export const signalLines = (signals: ReadonlyArray<RunningSignal>): ReadonlyArray<PriceLine> =>
  signals.flatMap(({ entry, stop, take }): ReadonlyArray<PriceLine> => [
    { kind: "entry", price: entry },
    { kind: "take", price: take },
    { kind: "stop", price: stop }
  ])

export interface ChartMark {
  /** The opening time of the candle, in ms since 1970. */
  readonly at: number
  readonly kind: "long" | "short" | "take" | "stop" | "timeout"
  readonly price: number
  /** The result of a trading signal in percent, in the signal's direction. */
  readonly percent?: number
}

/**
 * Moves each mark to the opening time of the mark's candle, and sorts the marks by time. Drops marks outside the drawn
 * candles.
 */
const alignToCandles = (
  marks: ReadonlyArray<ChartMark>,
  candles: ReadonlyArray<Candle>,
  tf: Timeframe
): ReadonlyArray<ChartMark> => {
  const first = candles[0]
  const last = candles.at(-1)
  if (first === undefined || last === undefined) return []
  const { ms } = timeframes[tf]
  const [from, to] = [Date.parse(first.time), Date.parse(last.time)]
  return marks
    .map((mark) => ({ ...mark, at: Math.floor(mark.at / ms) * ms }))
    .filter(({ at }) => at >= from && at <= to)
    .toSorted((a, b) => a.at - b.at)
}

export const runningMarks = (
  signals: ReadonlyArray<RunningSignal>,
  candles: ReadonlyArray<Candle>,
  tf: Timeframe
): ReadonlyArray<ChartMark> =>
  alignToCandles(
    signals.map(({ entry, opened_at, side }) => ({ at: Date.parse(opened_at), kind: side, price: entry })),
    candles,
    tf
  )

export const endedMarks = (
  { outcomes }: EndedSignals,
  coin: string,
  candles: ReadonlyArray<Candle>,
  tf: Timeframe
): ReadonlyArray<ChartMark> =>
  alignToCandles(
    outcomes.filter((outcome) => outcome.coin === coin).flatMap((one): ReadonlyArray<ChartMark> => [
      { at: Date.parse(one.opened_at), kind: one.side, price: one.entry },
      // A signal ends within the hour before `closed_at`, so the mark is drawn 1 ms earlier, in the candle of that
      // hour.
      { at: Date.parse(one.closed_at) - 1, kind: one.outcome, price: one.exit, percent: one.percent }
    ]),
    candles,
    tf
  )

/** Returns the index of the selected candle after a key press, or undefined if the key does not move the selection. */
export const moveCursor = (key: string, from: number | undefined, count: number): number | undefined => {
  const at = from ?? count - 1
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    ArrowDown: at - 1,
    ArrowUp: at + 1,
    PageUp: at - 20,
    PageDown: at + 20,
    Home: 0,
    End: count - 1
  }
  const to = steps[key]
  return to === undefined || count === 0 ? undefined : Math.min(count - 1, Math.max(0, to))
}

/**
 * Returns the number of ms to add to all times of a chart. The chart library shows only UTC, but days begin at midnight
 * in the user's time zone. All times of a chart get the same shift, because the chart library rejects repeated times.
 * With different shifts, an hour would appear twice at the end of summer time.
 */
export const timeShiftMs = (tf: Timeframe, at: number): number =>
  tf === "1d" ? 0 : -new Date(at).getTimezoneOffset() * 60_000
