import type { ComputeError } from "../../engine/compute/Compute.ts"
import type { MarketError } from "../../market/errors.ts"

/** The errors of a derived value: those of its market data, and those of the computation. */
export type DerivedError = MarketError | ComputeError
