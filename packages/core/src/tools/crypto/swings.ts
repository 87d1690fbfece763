import { type Swing, swings } from "@tapeline/quant/levels"
import { type Candle, splitAtHoles } from "../../market/candle.ts"

/** The number of candles on each side that a swing's price must exceed. */
const swingSideCandles = 5

/** A swing with the opening time of its candle and the candle's index among all candles. */
export interface TimedSwing extends Swing {
  readonly time: number
}

/** Returns the confirmed swings of closed candles. A candle next to a gap is never a swing. */
export const findSwings = (candles: ReadonlyArray<Candle>, stepMs: number): ReadonlyArray<TimedSwing> => {
  const timedSwings: Array<TimedSwing> = []
  let from = 0
  for (const run of splitAtHoles(candles, stepMs)) {
    for (const swing of swings(run.map(({ high }) => high), run.map(({ low }) => low), swingSideCandles)) {
      const index = from + swing.index
      timedSwings.push({ ...swing, index, knownAt: from + swing.knownAt, time: candles[index]!.time })
    }
    from += run.length
  }
  return timedSwings
}

/**
 * Returns the last price leg between two turning points, or null if there are fewer than two turning points. If several
 * highs or several lows follow each other, only the most extreme is a turning point.
 */
export const findLastLeg = (
  timedSwings: ReadonlyArray<TimedSwing>
): readonly [from: TimedSwing, to: TimedSwing] | null => {
  const turningPoints: Array<TimedSwing> = []
  for (const swing of timedSwings) {
    const last = turningPoints.at(-1)
    // If a candle has both a high and a low swing, their order is unknown.
    if (last?.index === swing.index) continue
    if (last === undefined || last.kind !== swing.kind) turningPoints.push(swing)
    else if (swing.kind === "high" ? swing.price >= last.price : swing.price <= last.price) {
      turningPoints[turningPoints.length - 1] = swing
    }
  }
  const [from, to] = turningPoints.slice(-2)
  return from === undefined || to === undefined ? null : [from, to]
}
