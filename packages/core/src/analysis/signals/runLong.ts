import { Effect } from "effect"
import type { Compute, ComputeError } from "../../engine/compute/Compute.ts"
import type { Job } from "../../engine/compute/job.ts"
import { dayMs } from "../../market/timeframe.ts"

/** To compute more hours than these would hold up the thread that serves; fewer are done before they could be sent. */
const longMs = 2 * dayMs

/** Runs a job of the hours in `(from, to]` where its length says. */
export const runLong = <Input extends { readonly from: number; readonly to: number }, Output>(
  compute: typeof Compute["Service"],
  job: Job<Input, Output>,
  input: Input
): Effect.Effect<Output, ComputeError> =>
  input.to - input.from > longMs ? compute.run(job, input) : Effect.sync(() => job.run(input))
