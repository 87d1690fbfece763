import { Effect, Semaphore } from "effect"
import type { Compute, ComputeError } from "../../engine/compute/Compute.ts"
import type { Job } from "../../engine/compute/job.ts"
import { dayMs } from "../../market/timeframe.ts"

/**
 * Creates a function that runs effects and lets other fibers run before each effect starts. Other fibers therefore wait
 * for at most one effect. The effects can still wait concurrently after they have started, for example for storage.
 */
export const makeYieldingRunner = () => {
  const semaphore = Semaphore.makeUnsafe(1)
  // Fibers that yield at the same time continue in one turn of the event loop, so a semaphore gives each fiber a turn.
  const waitForTurn = semaphore.withPermit(Effect.yieldNow)
  return <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => Effect.andThen(waitForTurn, effect)
}

/**
 * The maximum period that is computed in the calling thread, in ms. The computation of a longer period would block the
 * thread for too long. For a shorter period, sending the job to a worker would take longer than the computation itself.
 */
const maxInlineMs = 2 * dayMs

/**
 * Runs a job for the hours in `(from, to]`. Many hours are computed in a worker, and few hours in the calling thread.
 */
export const runInWorkerIfLong = <Input extends { readonly from: number; readonly to: number }, Output>(
  compute: typeof Compute["Service"],
  job: Job<Input, Output>,
  input: Input
): Effect.Effect<Output, ComputeError> =>
  input.to - input.from > maxInlineMs ? compute.run(job, input) : Effect.sync(() => job.run(input))
