import type { ComputeError } from "../../engine/compute/Compute.ts"
import type { MarketError } from "../../market/errors.ts"

/** The errors of a derived value: errors of its market data, and errors of the computation. */
export type DerivedError = MarketError | ComputeError
