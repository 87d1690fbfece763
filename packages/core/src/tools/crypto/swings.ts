import { type Swing, swings } from "@tapeline/quant/levels"
import { type Candle, runsOf } from "../../market/candle.ts"

/** Candles on each side that a swing stands above or below. */
const side = 5

/** A swing with the opening instant of its candle. Its index is that of the candle among all. */
export interface TimedSwing extends Swing {
  readonly time: number
}

/** The confirmed swings of closed candles, each among neighbours in time: where candles are missing none is told. */
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
 * The last leg: the two last turning points, of which each is the extreme among the swings of its kind that follow one
 * another; null without two.
 */
export const lastLeg = (found: ReadonlyArray<TimedSwing>): readonly [from: TimedSwing, to: TimedSwing] | null => {
  const turns: Array<TimedSwing> = []
  for (const swing of found) {
    const last = turns.at(-1)
    // Of one candle that is both, nobody knows which came first.
    if (last?.index === swing.index) continue
    if (last === undefined || last.kind !== swing.kind) turns.push(swing)
    else if (swing.kind === "high" ? swing.price >= last.price : swing.price <= last.price) {
      turns[turns.length - 1] = swing
    }
  }
  const [from, to] = turns.slice(-2)
  return from === undefined || to === undefined ? null : [from, to]
}
