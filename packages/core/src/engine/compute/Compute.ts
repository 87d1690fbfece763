import { Context, Effect, Schema } from "effect"
import { type ConvertibleToToolFailure, ToolFailure } from "../tool/failure.ts"
import { type Job, runInThisThread } from "./job.ts"

/** The error of a job that was not started, because too many jobs are waiting. */
export class ComputeBusy extends Schema.TaggedError<ComputeBusy>()("ComputeBusy", { job: Schema.String })
  implements ConvertibleToToolFailure
{
  readonly isBusy = true

  override get message(): string {
    return `the queue is full, so the job ${this.job} was rejected`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", callerMessage: { key: "compute_busy" }, retryable: true })
  }
}

/** The error of a job that exceeded the time limit and was stopped. */
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
      callerMessage: { key: "timeout", params: { seconds: this.limitMs / 1000 } },
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
    return `the worker thread of the job ${this.job} ended`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", callerMessage: { key: "compute_crashed" }, retryable: true })
  }
}

/** The account whose call runs the jobs; null for jobs outside of calls. */
export const ComputeOwner = Context.Reference<number | null>("@tapeline/core/compute/ComputeOwner", {
  defaultValue: () => null
})

/** The reasons why a job has no result. */
export type ComputeError = ComputeBusy | ComputeTimeout | ComputeCrashed

/**
 * Runs computations that would block the thread that serves requests.
 *
 * - A job is a pure function of its input, so its result does not depend on the thread. The schemas of a job encode
 *   input and output for the transfer between threads.
 * - If a job can neither run nor wait, it fails immediately with `ComputeBusy`. Owners (`ComputeOwner`) take turns. The
 *   jobs of one owner start in the order in which they arrived. A full queue still admits jobs of owners with few jobs.
 * - The time limit of a job begins when the job starts. A job that exceeds the time limit is stopped and fails with
 *   `ComputeTimeout`.
 * - An interrupted caller does not wait for its job. If the job is still waiting, it is dropped. The job of an
 *   interrupted caller is stopped if it is running, unless it ends very soon.
 * - A job that crashes its thread fails with `ComputeCrashed`. A crash of one job affects no other job.
 * - If a job throws, or its output does not match its schema, the call dies with an `Error` that contains the message.
 *   Input or output that `structuredClone` cannot copy is a defect.
 * - After the layer is closed, running, waiting and later jobs fail with `ComputeCrashed`.
 *
 * By default, jobs run one at a time in the caller's thread. Running jobs in the caller's thread suits tests, browsers
 * and small programs. Jobs in the caller's thread never fail with `ComputeBusy`, and cannot be interrupted.
 */
export const Compute = Context.Reference<{
  readonly run: <Input, Output>(job: Job<Input, Output>, input: Input) => Effect.Effect<Output, ComputeError>
}>("@tapeline/core/compute/Compute", {
  // Yields first, so that other fibers that are ready run before the job.
  defaultValue: () => ({
    run: (job, input) => Effect.andThen(Effect.yieldNow, Effect.sync(() => runInThisThread(job, input)))
  })
})
