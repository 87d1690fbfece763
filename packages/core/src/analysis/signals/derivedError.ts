import type { ComputeError } from "../../engine/compute/Compute.ts"
import type { MarketError } from "../../market/errors.ts"

/** The errors of a read of derived data: market data errors and computation errors. */
export type DerivedError = MarketError | ComputeError
