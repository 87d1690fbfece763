import type { ActiveSignals, Candle, EndedSignals, Levels } from "./asks.ts"
import { type Timeframe, timeframes } from "./timeframe.ts"

/** A summary of a span of candles. */
export interface Summary {
  readonly from: number
  readonly to: number
  readonly count: number
  readonly high: number
  readonly low: number
  readonly last: number
  /** The change from the first open to the last close, in percent. */
  readonly change_pct: number
}

/** Summarises candles; undefined if there are no candles. */
export const summaryOf = (candles: ReadonlyArray<Candle>): Summary | undefined => {
  const first = candles[0]
  const last = candles.at(-1)
  if (first === undefined || last === undefined) return undefined
  return {
    from: Date.parse(first.time),
    to: Date.parse(last.time),
    count: candles.length,
    high: candles.reduce((most, { high }) => Math.max(most, high), first.high),
    low: candles.reduce((least, { low }) => Math.min(least, low), first.low),
    last: last.close,
    change_pct: first.open === 0 ? 0 : (last.close / first.open - 1) * 100
  }
}

/** The change of a candle from open to close, in percent. */
export const changeOf = ({ close, open }: Candle): number => open === 0 ? 0 : (close / open - 1) * 100

/** A price that is drawn as a line across the chart. */
export interface Line {
  readonly kind: "support" | "resistance" | "entry" | "take" | "stop"
  readonly price: number
  /** The number of swings that are merged into a level. */
  readonly touches?: number
}

/** The maximum number of drawn levels on each side: the strongest ones. */
const levelsDrawn = 4

/** The strongest levels of each side. Distant levels would flatten the candles, so that only the table lists them. */
export const levelLines = (
  { atr, close, resistances, supports }: Pick<Levels, "atr" | "close" | "resistances" | "supports">
): ReadonlyArray<Line> => {
  const reach = atr === null ? close * 0.1 : Math.max(atr * 10, close * 0.02)
  const drawn = (kind: "support" | "resistance", levels: Levels["supports"]) =>
    levels
      .filter(({ price }) => Math.abs(price - close) <= reach)
      .toSorted((a, b) => b.strength - a.strength)
      .slice(0, levelsDrawn)
      .map(({ price, touches }): Line => ({ kind, price, touches }))
  return [...drawn("support", supports), ...drawn("resistance", resistances)]
}

type Running = ActiveSignals["signals"][number]

/** The running signals of a coin. */
export const runningOf = ({ signals }: ActiveSignals, coin: string): ReadonlyArray<Running> =>
  signals.filter((signal) => signal.coin === coin)

export const signalLines = (signals: ReadonlyArray<Running>): ReadonlyArray<Line> =>
  signals.flatMap(({ entry, stop, take }): ReadonlyArray<Line> => [
    { kind: "entry", price: entry },
    { kind: "take", price: take },
    { kind: "stop", price: stop }
  ])

/** A mark at a candle. */
export interface Mark {
  /** When the candle opened, in ms since 1970. */
  readonly at: number
  readonly kind: "long" | "short" | "take" | "stop" | "timeout"
  readonly price: number
  /** The result of a signal in percent, in the signal's direction. */
  readonly percent?: number
}

/** Marks at the drawn candles, in time order. Earlier marks are left out. */
const atCandles = (marks: ReadonlyArray<Mark>, candles: ReadonlyArray<Candle>, tf: Timeframe): ReadonlyArray<Mark> => {
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

/** The openings of running signals. */
export const runningMarks = (
  signals: ReadonlyArray<Running>,
  candles: ReadonlyArray<Candle>,
  tf: Timeframe
): ReadonlyArray<Mark> =>
  atCandles(
    signals.map(({ entry, opened_at, side }) => ({ at: Date.parse(opened_at), kind: side, price: entry })),
    candles,
    tf
  )

/** The openings of a coin's ended signals, and their results. */
export const endedMarks = (
  { outcomes }: EndedSignals,
  coin: string,
  candles: ReadonlyArray<Candle>,
  tf: Timeframe
): ReadonlyArray<Mark> =>
  atCandles(
    outcomes.filter((outcome) => outcome.coin === coin).flatMap((one): ReadonlyArray<Mark> => [
      { at: Date.parse(one.opened_at), kind: one.side, price: one.entry },
      // The signal ended within the hour that closed at this time. One ms earlier is still that hour's candle.
      { at: Date.parse(one.closed_at) - 1, kind: one.outcome, price: one.exit, percent: one.percent }
    ]),
    candles,
    tf
  )

/** The index of the cursor after a key, among `count` candles; undefined if the key does not move the cursor. */
export const moved = (key: string, from: number | undefined, count: number): number | undefined => {
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
 * The shift of all times for a chart library that only knows UTC, in ms, so that days begin in the reader's time zone.
 * One shift applies to all times: the library allows no repeated times, as the end of summer time would create.
 * Daily candles are in UTC.
 */
export const shiftOf = (tf: Timeframe, at: number): number =>
  tf === "1d" ? 0 : -new Date(at).getTimezoneOffset() * 60_000
