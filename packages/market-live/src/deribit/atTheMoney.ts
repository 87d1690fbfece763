/** Our own series of implied volatility: at the money, at constant maturities. */
import { interpolateAtMaturity, readTerm } from "@tapeline/core/analysis"
import type { Compute, ComputeError } from "@tapeline/core/engine"
import type { OptionChain } from "@tapeline/core/market"
import { Effect } from "effect"

/** The recorded maturities in days: those that tools use by default, and enough others for callers' requests. */
export const recordedMaturities: ReadonlyArray<number> = [1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 90, 180]

export interface AtTheMoney {
  readonly maturityDays: number
  /** In percent a year. */
  readonly ivPct: number
}

/**
 * Returns a chain's volatility at the money at each maturity, linear in total variance between the expiries around it.
 * A maturity without an expiry on one of its sides is missing: nothing is extrapolated.
 */
export const atTheMoneyOf = (
  compute: typeof Compute["Service"],
  chain: OptionChain,
  maturities: ReadonlyArray<number> = recordedMaturities
): Effect.Effect<ReadonlyArray<AtTheMoney>, ComputeError> =>
  Effect.map(readTerm(compute, chain), (term) =>
    maturities.flatMap((maturityDays) => {
      const { atm } = interpolateAtMaturity(term, maturityDays)
      return atm === null ? [] : [{ maturityDays, ivPct: atm }]
    }))
