import {
  Compute,
  ComputeBusy,
  ComputeCrashed,
  type ComputeError,
  ComputeOwner,
  ComputeTimeout,
  decodeOutput,
  encodeInput
} from "@tapeline/core/engine"
import { Cause, Effect, Layer, Option, PartitionedSemaphore, Scope } from "effect"
import { availableParallelism } from "node:os"
import { makeThreads } from "./threads.ts"

export interface ComputePoolOptions {
  /**
   * The maximum number of threads; by default one fewer than the cores, from 1 to 4. Threads start when they are
   * needed. The first one starts with the layer, unless `firstStarts` is `"when needed"`.
   */
  readonly workers?: number | undefined
  /**
   * `"with the layer"`, the default: the layer waits for the first thread, and dies if a module cannot be loaded.
   * `"when needed"`: the layer is ready at once without a thread, and the first job waits half a second for one.
   */
  readonly firstStarts?: "with the layer" | "when needed"
  /** A thread that has been idle for this time, in ms, is ended; 10 minutes by default. */
  readonly idleMs?: number
  /**
   * The maximum number of waiting jobs; 64 by default. If the queue is full, an owner with fewer jobs than a quarter of
   * this maximum may add jobs, until four times the maximum wait.
   */
  readonly maxWaiting?: number
  /** The maximum run time of a job, in ms; 10 seconds by default. */
  readonly limitMs?: number
  /** The time in ms that a job may still run after its caller has left, before its thread is ended; 250 by default. */
  readonly graceMs?: number
  /** The maximum heap of a thread, in MB; 512 by default. A thread that exceeds it ends. */
  readonly heapMb?: number
  /**
   * URLs of additional modules with jobs: each exports `jobs: ReadonlyArray<NamedJob>`. Core's jobs are always
   * available.
   */
  readonly modules?: ReadonlyArray<string>
}

type Owner = number | null

/** Counts the running and waiting jobs, of each owner and in total. */
class QueueLimits {
  readonly #ofOwner = new Map<Owner, number>()
  readonly #maxJobs: number
  readonly #maxJobsInBurst: number
  readonly #reservedPerOwner: number
  #taken = 0

  constructor(workers: number, maxWaiting: number) {
    this.#maxJobs = workers + maxWaiting
    this.#maxJobsInBurst = workers + 4 * maxWaiting
    this.#reservedPerOwner = maxWaiting / 4
  }

  /** Counts one more job of an owner. Returns false if the queue has no room for it. */
  enter(owner: Owner): boolean {
    const own = this.#ofOwner.get(owner) ?? 0
    if (this.#taken >= (own < this.#reservedPerOwner ? this.#maxJobsInBurst : this.#maxJobs)) return false
    this.#ofOwner.set(owner, own + 1)
    this.#taken++
    return true
  }

  leave(owner: Owner): void {
    const left = (this.#ofOwner.get(owner) ?? 1) - 1
    if (left === 0) this.#ofOwner.delete(owner)
    else this.#ofOwner.set(owner, left)
    this.#taken--
  }
}

/** `Compute` in separate threads. The threads end with the layer; jobs after that fail with `ComputeCrashed`. */
export const layerComputePool = (options: ComputePoolOptions = {}): Layer.Layer<never> =>
  Layer.effect(Compute, makePool(options))

const makePool = Effect.fnUntraced(function*(options: ComputePoolOptions) {
  const workers = options.workers ?? Math.min(4, Math.max(1, availableParallelism() - 1))
  const maxWaiting = options.maxWaiting ?? 64
  const { graceMs = 250, heapMb = 512, idleMs = 600_000, limitMs = 10_000, modules = [] } = options
  const threads = yield* makeThreads({ graceMs, heapMb, idleMs, modules })
  if (options.firstStarts !== "when needed") {
    yield* Effect.scoped(threads.take).pipe(
      Effect.mapError(({ cause }) => new Error("The pool of threads cannot start", { cause })),
      Effect.orDie
    )
  }
  const turns = yield* PartitionedSemaphore.make<Owner>({ permits: workers })
  const queue = new QueueLimits(workers, maxWaiting)

  /** Takes a permit and a thread for one job. The scope holds both until the job ends, even if its caller has left. */
  const takeThread = (owner: Owner) =>
    Effect.andThen(
      Effect.acquireRelease(turns.take(owner, 1), () => turns.release(1), { interruptible: true }),
      threads.take
    )
  const inThread = (job: string, owner: Owner, input: unknown) =>
    Effect.acquireUseRelease(
      Scope.make(),
      (scope) =>
        Effect.flatMap(Scope.provide(takeThread(owner), scope), (worker) =>
          Effect.timeoutOrElse(worker.ask({ job, input }), {
            duration: limitMs,
            orElse: () =>
              new ComputeTimeout({ job, limitMs })
          })),
      (scope, exit) =>
        Effect.forkDetach(Scope.close(scope, exit), { startImmediately: true })
    ).pipe(Effect.catchTag("WorkerDied", ({ cause }) => new ComputeCrashed({ job, cause })))

  /** Logs why a job failed, for the operator. The caller does not receive the reason. */
  const logFailure = (job: string, cause: Cause.Cause<ComputeError>) => {
    if (threads.isClosed()) return Effect.void
    if (Cause.hasDies(cause)) return Effect.logError(`the job ${job} has a bug`, cause)
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    return error?._tag === "ComputeCrashed"
      ? Effect.logError(error.message, Cause.fail(error.cause))
      : Effect.void
  }

  return Compute.of({
    run: (job, input) =>
      Effect.flatMap(ComputeOwner, (owner) =>
        Effect.acquireUseRelease(
          Effect.suspend(() => queue.enter(owner) ? Effect.void : new ComputeBusy({ job: job.name })),
          () => Effect.suspend(() => inThread(job.name, owner, encodeInput(job, input))),
          () => Effect.sync(() => queue.leave(owner))
        )).pipe(
          Effect.map((output) => decodeOutput(job, output)),
          Effect.tapCause((cause) => logFailure(job.name, cause)),
          Effect.withSpan("Compute.run", { attributes: { job: job.name } }, { captureStackTrace: false })
        )
  })
})
