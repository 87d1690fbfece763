/** Computes implied volatility at the money, at constant maturities. */
import { interpolateAtMaturity, readTerm } from "@tapeline/core/analysis"
import type { Compute, ComputeError } from "@tapeline/core/engine"
import type { OptionChain } from "@tapeline/core/market"
import { Effect } from "effect"

/** The recorded maturities, in days: the defaults of tools, and further maturities that callers may request. */
export const recordedMaturities: ReadonlyArray<number> = [1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 90, 180]

export interface AtTheMoney {
  readonly maturityDays: number
  /** The implied volatility, in percent a year. */
  readonly ivPct: number
}

/**
 * Returns the at-the-money volatility at each maturity, interpolated linearly in total variance between the
 * neighbouring expiries. Maturities outside the listed expiries are omitted, because nothing is extrapolated.
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
