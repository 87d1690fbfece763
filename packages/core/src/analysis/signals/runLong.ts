import { Effect } from "effect"
import type { Compute, ComputeError } from "../../engine/compute/Compute.ts"
import type { Job } from "../../engine/compute/job.ts"
import { dayMs } from "../../market/timeframe.ts"

/**
 * A computation of more hours than this would block the main thread for too long. For fewer hours, a transfer to a
 * worker would take longer than the computation.
 */
const longMs = 2 * dayMs

/** Runs a job for the hours in `(from, to]`: in a worker if they are many, otherwise in this thread. */
export const runLong = <Input extends { readonly from: number; readonly to: number }, Output>(
  compute: typeof Compute["Service"],
  job: Job<Input, Output>,
  input: Input
): Effect.Effect<Output, ComputeError> =>
  input.to - input.from > longMs ? compute.run(job, input) : Effect.sync(() => job.run(input))
