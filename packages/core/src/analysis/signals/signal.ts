import { hourMs } from "../../market/timeframe.ts"
import { findFirstIndex } from "./candleColumns.ts"
import type { RegimeHour } from "./regime.ts"
import type { HourBar, ScoreColumns } from "./score.ts"
import type { OutcomeKind, Risk, SignalSide } from "./vocabulary.ts"

/**
 * The rule that opens and closes paper trades on the composite score. Paper trades are not executed; they show how good
 * the score is.
 *
 * - A long opens when the score rises to at least `entryScore`. A short opens when the score falls to at most
 *   `-entryScore`. The entry price is the open of the next hour's candle.
 * - No signal opens if the next hour has no candle. No signal opens within `quietHours` after the score's previous
 *   crossing, even if that crossing opened no signal.
 * - While the market is in `risk_off`, no long opens. While the market is in `risk_on`, no short opens.
 * - The take and stop prices are multiples of the ATR(14) away from the entry price. A signal that reaches neither take
 *   nor stop ends at the close of the last of `maxHours` hours.
 * - A signal depends only on a limited number of earlier hours, so every computation returns the same signals.
 */
export const signalRule = { entryScore: 40, quietHours: 24, takeAtr: 3, stopAtr: 2, maxHours: 24 } as const

/** The signal rule in one sentence, for results. */
export const signalRuleText =
  `Long when the hourly composite score crosses ${signalRule.entryScore}, short when it crosses -${signalRule.entryScore}, ` +
  `at the next hour's open; not within ${signalRule.quietHours} hours of another crossing, no longs in risk_off, no shorts in risk_on. ` +
  `Target ${signalRule.takeAtr} ATR(14), stop ${signalRule.stopAtr} ATR(14), timeout ${signalRule.maxHours} hours; ` +
  "a bar that touches both counts as a stop, and a gap is filled at the open."

/** The period of the signals whose outcomes are listed, in hours. */
export const outcomeHours = 720

/** The note that explains why a signal's regime is null. */
export const unknownRegimeNote =
  "regime is null if BTC's hour, or more than a third of the 30 days before it, was not recorded; such signals are not filtered by regime."

/** The number of earlier hours whose scores decide whether an hour opens a signal. */
export const signalWarmUpHours = signalRule.quietHours + 1

export interface PaperSignal {
  readonly coin: string
  readonly side: SignalSide
  /**
   * The close of the hour in which the score crossed its threshold, in epoch ms. The entry candle opens at the same
   * time.
   */
  readonly openedAt: number
  readonly score: number
  /** The entry price, in USD. */
  readonly entry: number
  readonly take: number
  readonly stop: number
  /**
   * The market's regime when the score crossed its threshold; null if unknown. Signals with an unknown regime are not
   * filtered by regime.
   */
  readonly regime: RegimeHour | null
}

/** The end of a signal. */
export interface SignalOutcome {
  readonly outcome: OutcomeKind
  /** The close of the hour in which the signal ended, in epoch ms. */
  readonly closedAt: number
  /** The exit price, in USD. */
  readonly exit: number
  /**
   * The return of the signal in percent, before fees. The return is positive if the price moved in the signal's
   * direction.
   */
  readonly percent: number
}

/** A signal with its outcome. The outcome is null while the signal is open. */
export interface SignalWithOutcome extends PaperSignal {
  readonly result: SignalOutcome | null
  /**
   * The number of hours without a candle since the signal opened. Prices in missing hours are unknown. An outcome with
   * missing hours is therefore uncertain and is not counted.
   */
  readonly missingHours: number
}

const getCrossedSide = (before: number, now: number): SignalSide | null => {
  const { entryScore } = signalRule
  if (before < entryScore && now >= entryScore) return "long"
  return before > -entryScore && now <= -entryScore ? "short" : null
}

const opposingRisk: Readonly<Record<SignalSide, Risk>> = { long: "risk_off", short: "risk_on" }

/**
 * Returns a coin's signals that open at or after `from`. `scores` begins `signalWarmUpHours` earlier. `getOpenAt`
 * returns the open of the candle that opens at the given time. `getRegimeAt` returns the market's regime at the given
 * close.
 */
export const findSignals = (
  coin: string,
  scores: ScoreColumns,
  from: number,
  getOpenAt: (time: number) => number | undefined,
  getRegimeAt: (time: number) => RegimeHour | null
): ReadonlyArray<PaperSignal> => {
  const signals: Array<PaperSignal> = []
  let lastCrossing = -Infinity
  for (let i = 1; i < scores.score.length; i++) {
    const score = scores.score[i]!
    const atr = scores.atr[i]!
    const time = scores.from + (i + 1) * hourMs
    // Hours without a score are NaN and cause no crossing.
    const side = getCrossedSide(scores.score[i - 1]!, score)
    if (side === null) continue
    const isQuiet = time - lastCrossing >= signalRule.quietHours * hourMs
    lastCrossing = time
    if (!isQuiet || time < from || !(atr > 0)) continue
    const regime = getRegimeAt(time)
    if (regime?.risk === opposingRisk[side]) continue
    const entry = getOpenAt(time)
    if (entry === undefined) continue
    const sign = side === "long" ? 1 : -1
    const stop = entry - sign * signalRule.stopAtr * atr
    const take = entry + sign * signalRule.takeAtr * atr
    // A price cannot fall below 0. A coin whose ATR is a third of its price is not tradable.
    if (stop <= 0 || take <= 0) continue
    signals.push({ coin, side, openedAt: time, score, entry, take, stop, regime })
  }
  return signals
}

/**
 * Returns the outcome of a signal from closed 1h candles. Returns null while the signal is open. If a bar opens beyond
 * the take or stop price, the exit price is the bar's open. A bar that touches both the take and the stop price counts
 * as a stop.
 *
 * @param until the close of the newest candle, in epoch ms, by which the maximum duration can end even if candles are
 * missing.
 */
export const determineOutcome = (
  signal: PaperSignal,
  candles: ReadonlyArray<HourBar>,
  until: number
): SignalOutcome | null => {
  const sign = signal.side === "long" ? 1 : -1
  const timeoutAt = signal.openedAt + signalRule.maxHours * hourMs
  const makeOutcome = (outcome: OutcomeKind, candle: HourBar, exit: number): SignalOutcome => ({
    outcome,
    closedAt: outcome === "timeout" ? timeoutAt : candle.time + hourMs,
    exit,
    percent: sign * (exit / signal.entry - 1) * 100
  })
  let last: HourBar | undefined
  for (let i = findFirstIndex(candles, signal.openedAt); i < candles.length; i++) {
    const candle = candles[i]!
    if (candle.time >= timeoutAt || candle.time + hourMs > until) break
    last = candle
    if (sign * (candle.open - signal.stop) <= 0) return makeOutcome("stop", candle, candle.open)
    if (sign * (candle.open - signal.take) >= 0) return makeOutcome("take", candle, candle.open)
    const worst = sign > 0 ? candle.low : candle.high
    const best = sign > 0 ? candle.high : candle.low
    if (sign * (worst - signal.stop) <= 0) return makeOutcome("stop", candle, signal.stop)
    if (sign * (best - signal.take) >= 0) return makeOutcome("take", candle, signal.take)
  }
  return until >= timeoutAt && last !== undefined ? makeOutcome("timeout", last, last.close) : null
}

/**
 * Returns the number of hours without a candle between a signal's opening and its end. If the signal is still open,
 * counts the hours up to `until`.
 */
export const countMissingHours = (
  { openedAt }: PaperSignal,
  result: SignalOutcome | null,
  candles: ReadonlyArray<HourBar>,
  until: number
): number => {
  const end = Math.min(until, result?.closedAt ?? openedAt + signalRule.maxHours * hourMs)
  const recordedHours = findFirstIndex(candles, end) - findFirstIndex(candles, openedAt)
  return Math.max(0, Math.round((end - openedAt) / hourMs) - recordedHours)
}

/**
 * Returns the percentage return of a signal from its entry to the close `hours` later. Returns undefined if the later
 * close is not recorded.
 */
export const getReturnAfter = (
  signal: PaperSignal,
  candles: ReadonlyArray<HourBar>,
  hours: number
): number | undefined => {
  const time = signal.openedAt + (hours - 1) * hourMs
  const candle = candles[findFirstIndex(candles, time)]
  if (candle === undefined || candle.time !== time) return undefined
  return (signal.side === "long" ? 1 : -1) * (candle.close / signal.entry - 1) * 100
}
