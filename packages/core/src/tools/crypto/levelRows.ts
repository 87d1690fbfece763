import { type Level, mergeLevels } from "@tapeline/quant/levels"
import type { ClosedBars } from "../../analysis/signals/closedBars.ts"
import { durationMs } from "../../market/timeframe.ts"
import { computeAtr } from "./indicators.ts"
import { findSwings, type TimedSwing } from "./swings.ts"

/** The number of candles from which supports and resistances are computed. */
export const levelBars = 300
/** The maximum distance between swings that form one level, as a fraction of the ATR. */
const mergeShare = 0.5
/** The number of candles in which an untouched level loses half of its strength. */
const halfLife = 150

const makeToRow = (close: number, n: number) => ({ lastIndex, price, touches }: Level) => ({
  price,
  touches,
  strength: 100 * (1 - 2 ** -touches) * 2 ** (-(n - 1 - lastIndex) / halfLife),
  distance_pct: 100 * (price / close - 1)
})
export type LevelRow = ReturnType<ReturnType<typeof makeToRow>>

/** Finds the supports and resistances of closed candles, nearest level first. */
export const findLevelRows = (bars: ClosedBars): {
  readonly supports: ReadonlyArray<LevelRow>
  readonly resistances: ReadonlyArray<LevelRow>
  readonly swings: ReadonlyArray<TimedSwing>
  /** The average true range, or null if there are too few candles for any level. */
  readonly atr: number | null
} => {
  const { candles, tf } = bars
  const { close } = candles.at(-1)!
  const atr = computeAtr(bars)
  const swings = findSwings(candles, durationMs[tf])
  const rows = atr === null ? [] : mergeLevels(swings, mergeShare * atr).map(makeToRow(close, candles.length))
  return {
    supports: rows.filter(({ price }) => price <= close).toReversed(),
    resistances: rows.filter(({ price }) => price > close),
    swings,
    atr
  }
}
