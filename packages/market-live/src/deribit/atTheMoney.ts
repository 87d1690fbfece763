import { interpolateAtMaturity, readTerm } from "@tapeline/core/analysis"
import type { Compute, ComputeError } from "@tapeline/core/engine"
import type { OptionChain } from "@tapeline/core/market"
import { Effect } from "effect"

/** The maturities at which at-the-money volatility is recorded, in days. */
export const recordedMaturities: ReadonlyArray<number> = [1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 90, 180]

export interface AtTheMoney {
  readonly maturityDays: number
  /** The implied volatility, in percent a year. */
  readonly ivPct: number
}

/**
 * Returns the at-the-money volatility at each maturity within the listed expiries, interpolated linearly in total
 * variance.
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
