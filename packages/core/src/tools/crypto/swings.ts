import { type Swing, swings } from "@tapeline/quant/levels"
import { type Candle, runsOf } from "../../market/candle.ts"

/** The number of candles on each side that a swing must exceed. */
const side = 5

/** A swing with the opening time of its candle. `index` is the candle's index among all candles. */
export interface TimedSwing extends Swing {
  readonly time: number
}

/**
 * Returns the confirmed swings of closed candles. A swing needs adjacent candles on both sides, so there is none next
 * to a gap.
 */
export const swingsOf = (candles: ReadonlyArray<Candle>, stepMs: number): ReadonlyArray<TimedSwing> => {
  const found: Array<TimedSwing> = []
  let from = 0
  for (const part of runsOf(candles, stepMs)) {
    for (const swing of swings(part.map(({ high }) => high), part.map(({ low }) => low), side)) {
      const index = from + swing.index
      found.push({ ...swing, index, knownAt: from + swing.knownAt, time: candles[index]!.time })
    }
    from += part.length
  }
  return found
}

/**
 * Returns the last leg between two turning points; null if there are fewer. Consecutive swings of the same kind form
 * one turning point, the extreme of them.
 */
export const lastLeg = (found: ReadonlyArray<TimedSwing>): readonly [from: TimedSwing, to: TimedSwing] | null => {
  const turns: Array<TimedSwing> = []
  for (const swing of found) {
    const last = turns.at(-1)
    // If a candle has both a high and a low swing, their order is unknown.
    if (last?.index === swing.index) continue
    if (last === undefined || last.kind !== swing.kind) turns.push(swing)
    else if (swing.kind === "high" ? swing.price >= last.price : swing.price <= last.price) {
      turns[turns.length - 1] = swing
    }
  }
  const [from, to] = turns.slice(-2)
  return from === undefined || to === undefined ? null : [from, to]
}
