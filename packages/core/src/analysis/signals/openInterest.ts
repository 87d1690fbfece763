import { Effect } from "effect"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPerpetual } from "../../market/derivative.ts"
import { mapReading, type MarketRead } from "../../market/reading.ts"
import { minuteMs } from "../../market/timeframe.ts"
import { orEmptySeries } from "./readings.ts"

/** The interval between two records of a perpetual, in ms. */
const recordStepMs = 5 * minuteMs

/** The change of open interest in coins and in USD, in percent; null if unknown. */
export interface OpenInterestChange {
  readonly coinPct: number | null
  readonly usdPct: number | null
}

const getChangePct = (earlier: number | null | undefined, now: number | null): number | null =>
  earlier === null || earlier === undefined || now === null || !(earlier > 0) ? null : 100 * (now / earlier - 1)

/**
 * Reads the change of open interest in the `lookbackMs` before a record. The earlier value is from the ten minutes
 * before `time - lookbackMs`.
 */
export const readOpenInterestChange = (
  derivatives: CoinDerivatives["Service"],
  { coin, openInterest, openInterestUsd, time }: CoinPerpetual,
  lookbackMs: number
): MarketRead<OpenInterestChange> => {
  const earlierTime = Math.floor((time - lookbackMs) / recordStepMs) * recordStepMs
  const readEarlier = derivatives.perpetualHistory({
    coin,
    from: earlierTime - recordStepMs,
    to: earlierTime + 1,
    stepMs: recordStepMs
  })
  return Effect.map(orEmptySeries(readEarlier), (found) =>
    mapReading(found, ({ points }) => ({
      coinPct: getChangePct(points.at(-1)?.openInterest, openInterest),
      usdPct: getChangePct(points.at(-1)?.openInterestUsd, openInterestUsd)
    })))
}
