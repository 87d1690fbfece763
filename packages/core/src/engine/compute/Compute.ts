import { Context, Effect, Schema } from "effect"
import { type ConvertibleToToolFailure, ToolFailure } from "../tool/failure.ts"
import { type Job, runInThisThread } from "./job.ts"

/** The queue of jobs is full. The job was not started. Retry soon. */
export class ComputeBusy extends Schema.TaggedError<ComputeBusy>()("ComputeBusy", { job: Schema.String })
  implements ConvertibleToToolFailure
{
  readonly isBusy = true

  override get message(): string {
    return `no place for the job ${this.job}`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", says: { key: "compute_busy" }, retryable: true })
  }
}

/** The job exceeded its time limit and was stopped. A retry gets the full time limit again, and may need less. */
export class ComputeTimeout extends Schema.TaggedError<ComputeTimeout>()("ComputeTimeout", {
  job: Schema.String,
  limitMs: Schema.Finite
}) implements ConvertibleToToolFailure {
  override get message(): string {
    return `the job ${this.job} ran for longer than ${this.limitMs} ms`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({
      code: "timeout",
      says: { key: "timeout", params: { seconds: this.limitMs / 1000 } },
      retryable: true
    })
  }
}

/** The thread ended while it ran the job, for example because it ran out of memory or its layer was closed. */
export class ComputeCrashed extends Schema.TaggedError<ComputeCrashed>()("ComputeCrashed", {
  job: Schema.String,
  cause: Schema.Defect()
}) implements ConvertibleToToolFailure {
  override get message(): string {
    return `the thread of the job ${this.job} ended`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", says: { key: "compute_crashed" }, retryable: true })
  }
}

/** The owner of jobs: the account whose call runs them. Null outside of calls. */
export const ComputeOwner = Context.Reference<number | null>("@tapeline/core/compute/ComputeOwner", {
  defaultValue: () => null
})

/** The reasons why a job has no result. */
export type ComputeError = ComputeBusy | ComputeTimeout | ComputeCrashed

/**
 * Runs computations that would block the thread that serves requests.
 *
 * - A job is a pure function of its input, so its result does not depend on the thread. Its schemas encode input and
 *   output for the transfer.
 * - If a job can neither run nor wait, it fails immediately with `ComputeBusy`. Owners (`ComputeOwner`) take turns. The
 *   jobs of one owner start in their order. A full queue still admits jobs of owners with few jobs.
 * - The time limit of a job starts when the job starts, not while it waits. A job that exceeds the limit is stopped and
 *   fails with `ComputeTimeout`.
 * - An interrupted caller does not wait for its job. A waiting job is dropped, and a running job is stopped unless it
 *   ends very soon. Its place becomes free for the next job.
 * - A job that crashes its thread fails with `ComputeCrashed`. Other jobs are not affected, and the next job runs.
 * - A job that throws, or whose output does not match its schema, is a defect: an `Error` with its message. The same
 *   applies to input or output that `structuredClone` cannot copy.
 * - After its layer is closed, no job starts. Running, waiting and later jobs fail with `ComputeCrashed`.
 *
 * By default, jobs run in the caller's thread, which suits tests, browsers and small programs. They run one at a time,
 * are never busy, and can be neither stopped nor interrupted, because they block the thread.
 */
export const Compute = Context.Reference<{
  readonly run: <Input, Output>(job: Job<Input, Output>, input: Input) => Effect.Effect<Output, ComputeError>
}>("@tapeline/core/compute/Compute", {
  // Lets other fibers that are ready run first.
  defaultValue: () => ({
    run: (job, input) => Effect.andThen(Effect.yieldNow, Effect.sync(() => runInThisThread(job, input)))
  })
})
