import type { ComputeError } from "../../engine/compute/Compute.ts"
import type { MarketError } from "../../market/errors.ts"

/** What a derived value may fail with: of its market, or of the computing itself. */
export type DerivedError = MarketError | ComputeError
