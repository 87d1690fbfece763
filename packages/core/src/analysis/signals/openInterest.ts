import { Effect } from "effect"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPerpetual } from "../../market/derivative.ts"
import { mapReading, type MarketRead } from "../../market/reading.ts"
import { minuteMs } from "../../market/timeframe.ts"
import { orNoPoints } from "./readings.ts"

/** The interval at which perpetuals are recorded. */
const recordMs = 5 * minuteMs

/** The change of open interest, percent: in coins, and in USD, which also follows the price. Null if unknown. */
export interface OpenInterestChange {
  readonly coinPct: number | null
  readonly usdPct: number | null
}

const changePct = (before: number | null | undefined, now: number | null): number | null =>
  before === null || before === undefined || now === null || !(before > 0) ? null : 100 * (now / before - 1)

/**
 * Reads the change of open interest in the `backMs` before a record. Compares with the record at that time, or the one
 * before it.
 */
export const readOpenInterestChange = (
  derivatives: CoinDerivatives["Service"],
  { coin, openInterest, openInterestUsd, time }: CoinPerpetual,
  backMs: number
): MarketRead<OpenInterestChange> => {
  const then = Math.floor((time - backMs) / recordMs) * recordMs
  const read = derivatives.perpetualHistory({ coin, from: then - recordMs, to: then + 1, stepMs: recordMs })
  return Effect.map(orNoPoints(read), (found) =>
    mapReading(found, ({ points }) => ({
      coinPct: changePct(points.at(-1)?.openInterest, openInterest),
      usdPct: changePct(points.at(-1)?.openInterestUsd, openInterestUsd)
    })))
}
