import { Context, Effect, Schema } from "effect"
import { type Explained, ToolFailure } from "../tool/failure.ts"
import { type Job, runHere } from "./job.ts"

/** As much is being computed, and waits, as may. Nothing was begun; the same may be asked again soon. */
export class ComputeBusy extends Schema.TaggedError<ComputeBusy>()("ComputeBusy", { job: Schema.String })
  implements Explained
{
  readonly isBusy = true

  override get message(): string {
    return `no place for the job ${this.job}`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", says: { key: "compute_busy" }, retryable: true })
  }
}

/** A job ran for longer than a job may, and was ended. Asked again it has all of its time again, and may need less. */
export class ComputeTimeout extends Schema.TaggedError<ComputeTimeout>()("ComputeTimeout", {
  job: Schema.String,
  limitMs: Schema.Finite
}) implements Explained {
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

/** What ran the job died of it, or beside it (out of memory), or ended with its layer. */
export class ComputeCrashed extends Schema.TaggedError<ComputeCrashed>()("ComputeCrashed", {
  job: Schema.String,
  cause: Schema.Defect()
}) implements Explained {
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

/** Why a job has no result. */
export type ComputeError = ComputeBusy | ComputeTimeout | ComputeCrashed

/**
 * Where work is done that would hold up the thread that serves.
 *
 * - A job is a pure function of its input, so where it runs changes nothing of its result. Input and output cross by
 *   their schemas.
 * - What neither runs nor may wait fails at once with `ComputeBusy`. Owners (`ComputeOwner`) take turns. The jobs of
 *   one owner begin in their order. A full queue still admits jobs of owners with few jobs.
 * - A job has a time limit from the moment that it is begun, not while it waits; then it is ended: `ComputeTimeout`.
 * - An interrupted caller does not wait for his job: it is dropped, or ended where it runs, if it does not end by
 *   itself very soon. His place is free for the next.
 * - A job that ends what runs it fails with `ComputeCrashed`, and takes no other job along; the next one runs.
 * - A job that throws, or whose output its schema does not hold, is a bug: a defect, an `Error` with its message. So is
 *   an input or output that `structuredClone` does not take.
 * - Once its layer has ended nothing is begun: what runs, waits, or is asked then fails with `ComputeCrashed`.
 *
 * Left alone, jobs run in their caller's thread, which fits tests, browsers and small programs: one at a time, never
 * busy, and neither ended nor interrupted, since nobody else has the thread meanwhile.
 */
export const Compute = Context.Reference<{
  readonly run: <Input, Output>(job: Job<Input, Output>, input: Input) => Effect.Effect<Output, ComputeError>
}>("@tapeline/core/compute/Compute", {
  // Others that are ready go first.
  defaultValue: () => ({ run: (job, input) => Effect.andThen(Effect.yieldNow, Effect.sync(() => runHere(job, input))) })
})
