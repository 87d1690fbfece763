import { hourMs } from "../../market/timeframe.ts"
import { firstFrom } from "./columns.ts"
import type { RegimeHour } from "./regime.ts"
import type { HourBar, ScoreColumns } from "./score.ts"
import type { OutcomeKind, Risk, SignalSide } from "./vocabulary.ts"

/**
 * Paper trades that a rule opens on the composite score, to be judged by what the market did next. Nobody trades them.
 *
 * A long opens when the score rises to `entryScore` or above, a short when it falls to minus that or below, at the open
 * of the next hour's candle (its first trade, not the price sampled at that instant), or not at all when there is none.
 * Not within `quietHours` of another crossing of the same coin, whether that one was taken or not, and not against the
 * market: no longs while risk is off, no shorts while it is on. Take and stop lie multiples of the ATR(14) from the
 * entry; what touches neither ends at the close of the last of `maxHours` hours.
 *
 * Whether a signal opens at an hour follows from the hours just before it alone, so it is the same whenever it is
 * asked.
 */
export const signalRule = { entryScore: 40, quietHours: 24, takeAtr: 3, stopAtr: 2, maxHours: 24 } as const

/** The rule in a sentence, for results. */
export const ruleText =
  `Long when the hourly composite score crosses ${signalRule.entryScore}, short when it crosses -${signalRule.entryScore}, ` +
  `at the next hour's open; not within ${signalRule.quietHours} hours of another crossing, no longs in risk_off, no shorts in risk_on. ` +
  `Take ${signalRule.takeAtr} ATR(14), stop ${signalRule.stopAtr} ATR(14), timeout ${signalRule.maxHours} hours; ` +
  "a bar that touches both is a stop, a gap fills at the open."

/** Why a signal's regime is null, for results. */
export const unknownRegime =
  "regime is null where BTC's hour, or more than a quarter of the 30 days before it, was not recorded; nothing was filtered then."

/** Hours of scores before an interval that decide whether its first hour opens a signal. */
export const signalWarmUpHours = signalRule.quietHours + 1

export interface PaperSignal {
  readonly coin: string
  readonly side: SignalSide
  /** Close of the hour whose score crossed, and opening instant of the candle that filled it, epoch ms. */
  readonly openedAt: number
  readonly score: number
  /** USD. */
  readonly entry: number
  readonly take: number
  readonly stop: number
  /** The market's at the crossing; null when it could not be told, and then nothing is filtered. */
  readonly regime: RegimeHour | null
}

/** How a signal ended. */
export interface SignalOutcome {
  readonly outcome: OutcomeKind
  /** Close of the hour in which it ended, epoch ms. */
  readonly closedAt: number
  /** USD. */
  readonly exit: number
  /** Return in the signal's direction, percent, before fees. */
  readonly percent: number
}

/** A signal with its outcome, null while it runs. */
export interface JudgedSignal extends PaperSignal {
  readonly result: SignalOutcome | null
  /**
   * Hours of its life so far without a candle: what happened in them is not known, so that an outcome beside any is a
   * guess, and is not counted.
   */
  readonly missingHours: number
}

const sideOf = (before: number, now: number): SignalSide | null => {
  const { entryScore } = signalRule
  if (before < entryScore && now >= entryScore) return "long"
  return before > -entryScore && now <= -entryScore ? "short" : null
}

const against: Readonly<Record<SignalSide, Risk>> = { long: "risk_off", short: "risk_on" }

/**
 * Signals of one coin that open at `from` or later. `scores` are those of its hours from `signalWarmUpHours` before;
 * `openAt` is the price at which the candle opening at an instant opened, undefined when there is none; `regimeAt` the
 * market's regime at a close.
 */
export const signalsOf = (
  coin: string,
  scores: ScoreColumns,
  from: number,
  openAt: (time: number) => number | undefined,
  regimeAt: (time: number) => RegimeHour | null
): ReadonlyArray<PaperSignal> => {
  const found: Array<PaperSignal> = []
  let lastCrossing = -Infinity
  for (let i = 1; i < scores.score.length; i++) {
    const score = scores.score[i]!
    const atr = scores.atr[i]!
    const time = scores.from + (i + 1) * hourMs
    // Hours without a score, which are NaN, cross nothing.
    const side = sideOf(scores.score[i - 1]!, score)
    if (side === null) continue
    const quiet = time - lastCrossing >= signalRule.quietHours * hourMs
    lastCrossing = time
    if (!quiet || time < from || !(atr > 0)) continue
    const regime = regimeAt(time)
    if (regime?.risk === against[side]) continue
    const entry = openAt(time)
    if (entry === undefined) continue
    const sign = side === "long" ? 1 : -1
    const stop = entry - sign * signalRule.stopAtr * atr
    const take = entry + sign * signalRule.takeAtr * atr
    // A price cannot fall below 0: an ATR of a third of the price is no market to trade.
    if (stop <= 0 || take <= 0) continue
    found.push({ coin, side, openedAt: time, score, entry, take, stop, regime })
  }
  return found
}

/**
 * What became of a signal by the closed 1h candles, of which those since it opened count: a bar that opens beyond take
 * or stop fills at its open, a bar that touches both counts as the stop. Null while it runs.
 *
 * @param until the close of the newest of the candles, epoch ms: it tells that the time is over where candles are
 * missing.
 */
export const outcomeOf = (
  signal: PaperSignal,
  candles: ReadonlyArray<HourBar>,
  until: number
): SignalOutcome | null => {
  const sign = signal.side === "long" ? 1 : -1
  const ends = signal.openedAt + signalRule.maxHours * hourMs
  const ended = (outcome: OutcomeKind, candle: HourBar, exit: number): SignalOutcome => ({
    outcome,
    closedAt: outcome === "timeout" ? ends : candle.time + hourMs,
    exit,
    percent: sign * (exit / signal.entry - 1) * 100
  })
  let last: HourBar | undefined
  for (let i = firstFrom(candles, signal.openedAt); i < candles.length; i++) {
    const candle = candles[i]!
    if (candle.time >= ends || candle.time + hourMs > until) break
    last = candle
    if (sign * (candle.open - signal.stop) <= 0) return ended("stop", candle, candle.open)
    if (sign * (candle.open - signal.take) >= 0) return ended("take", candle, candle.open)
    const worst = sign > 0 ? candle.low : candle.high
    const best = sign > 0 ? candle.high : candle.low
    if (sign * (worst - signal.stop) <= 0) return ended("stop", candle, signal.stop)
    if (sign * (best - signal.take) >= 0) return ended("take", candle, signal.take)
  }
  return until >= ends && last !== undefined ? ended("timeout", last, last.close) : null
}

/** Hours without a candle between a signal's opening and `until`, or its end where that came earlier. */
export const missingHoursOf = (
  { openedAt }: PaperSignal,
  result: SignalOutcome | null,
  candles: ReadonlyArray<HourBar>,
  until: number
): number => {
  const end = Math.min(until, result?.closedAt ?? openedAt + signalRule.maxHours * hourMs)
  const there = firstFrom(candles, end) - firstFrom(candles, openedAt)
  return Math.max(0, Math.round((end - openedAt) / hourMs) - there)
}

/**
 * Returns in the signal's direction from entry to the close of the hours that end `hours` later, percent; undefined
 * before.
 */
export const returnAfter = (
  signal: PaperSignal,
  candles: ReadonlyArray<HourBar>,
  hours: number
): number | undefined => {
  const time = signal.openedAt + (hours - 1) * hourMs
  const candle = candles[firstFrom(candles, time)]
  if (candle === undefined || candle.time !== time) return undefined
  return (signal.side === "long" ? 1 : -1) * (candle.close / signal.entry - 1) * 100
}
