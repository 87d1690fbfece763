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
import { makeWorkerPool } from "./workerPool.ts"

export interface ComputePoolOptions {
  /**
   * The maximum number of worker threads. A thread is started when a job needs it. The default is the number of CPU
   * cores minus 1, limited to the range from 1 to 4.
   */
  readonly workers?: number | undefined
  /**
   * Selects when the first thread starts. By default, the first thread starts with the layer, and the layer dies if a
   * module cannot be loaded. With "when needed", the first job waits half a second until the thread has started.
   */
  readonly startFirstWorker?: "with the layer" | "when needed"
  /** The idle time in ms after which a thread is ended; 10 minutes by default. */
  readonly idleMs?: number
  /**
   * The maximum number of waiting jobs; 64 by default. An owner with fewer than a quarter of `maxQueuedJobs` can add
   * jobs until four times `maxQueuedJobs` wait.
   */
  readonly maxQueuedJobs?: number
  /** The maximum run time of a job, in ms; 10 seconds by default. */
  readonly timeoutMs?: number
  /**
   * The time in ms that a job may still run after its caller has left; 250 by default. Afterwards, the thread of the
   * job is ended.
   */
  readonly interruptGraceMs?: number
  /** The maximum heap size of a thread in MB; 512 by default. A thread ends if its heap exceeds the maximum. */
  readonly heapMb?: number
  /** The URLs of additional modules, each of which exports `jobs: ReadonlyArray<EncodedJob>`. */
  readonly modules?: ReadonlyArray<string>
}

type Owner = number | null

class JobQueueLimits {
  readonly #jobsByOwner = new Map<Owner, number>()
  readonly #maxJobs: number
  readonly #maxJobsInBurst: number
  readonly #reservedPerOwner: number
  #jobCount = 0

  constructor(workers: number, maxWaiting: number) {
    this.#maxJobs = workers + maxWaiting
    this.#maxJobsInBurst = workers + 4 * maxWaiting
    this.#reservedPerOwner = maxWaiting / 4
  }

  /** Counts a new job of an owner. Returns false if the queue has no room for the job. */
  tryEnter(owner: Owner): boolean {
    const ownJobs = this.#jobsByOwner.get(owner) ?? 0
    if (this.#jobCount >= (ownJobs < this.#reservedPerOwner ? this.#maxJobsInBurst : this.#maxJobs)) return false
    this.#jobsByOwner.set(owner, ownJobs + 1)
    this.#jobCount++
    return true
  }

  leave(owner: Owner): void {
    const remaining = (this.#jobsByOwner.get(owner) ?? 1) - 1
    if (remaining === 0) this.#jobsByOwner.delete(owner)
    else this.#jobsByOwner.set(owner, remaining)
    this.#jobCount--
  }
}

/**
 * Runs the jobs of `Compute` in worker threads. The threads end with the layer, and later jobs fail with
 * `ComputeCrashed`.
 */
export const layerComputePool = (options: ComputePoolOptions = {}): Layer.Layer<never> =>
  Layer.effect(Compute, makePool(options))

const makePool = Effect.fnUntraced(function*(options: ComputePoolOptions) {
  const workers = options.workers ?? Math.min(4, Math.max(1, availableParallelism() - 1))
  const maxWaiting = options.maxQueuedJobs ?? 64
  const { interruptGraceMs = 250, heapMb = 512, idleMs = 600_000, timeoutMs = 10_000, modules = [] } = options
  const threads = yield* makeWorkerPool({ graceMs: interruptGraceMs, heapMb, idleMs, modules })
  if (options.startFirstWorker !== "when needed") {
    yield* Effect.scoped(threads.take).pipe(
      Effect.mapError(({ cause }) => new Error("The thread pool cannot start", { cause })),
      Effect.orDie
    )
  }
  const workerPermits = yield* PartitionedSemaphore.make<Owner>({ permits: workers })
  const queueLimits = new JobQueueLimits(workers, maxWaiting)

  /** Acquires a permit and a thread for one job. The job keeps the permit and the thread until the job ends. */
  const acquireWorker = (owner: Owner) =>
    Effect.andThen(
      Effect.acquireRelease(workerPermits.take(owner, 1), () => workerPermits.release(1), { interruptible: true }),
      threads.take
    )
  const runInWorker = (job: string, owner: Owner, input: unknown) =>
    Effect.acquireUseRelease(
      Scope.make(),
      (scope) =>
        Effect.flatMap(Scope.provide(acquireWorker(owner), scope), (worker) =>
          Effect.timeoutOrElse(worker.run({ job, input }), {
            duration: timeoutMs,
            orElse: () =>
              new ComputeTimeout({ job, limitMs: timeoutMs })
          })),
      (scope, exit) =>
        Effect.forkDetach(Scope.close(scope, exit), { startImmediately: true })
    ).pipe(Effect.catchTag("WorkerDied", ({ cause }) => new ComputeCrashed({ job, cause })))

  /** Logs the reason of a job's failure for the operator. Callers never receive the reason of a job's failure. */
  const logFailure = (job: string, cause: Cause.Cause<ComputeError>) => {
    if (threads.isClosed()) return Effect.void
    if (Cause.hasDies(cause)) return Effect.logError(`the job ${job} failed unexpectedly`, cause)
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    return error?._tag === "ComputeCrashed"
      ? Effect.logError(error.message, Cause.fail(error.cause))
      : Effect.void
  }

  return Compute.of({
    run: (job, input) =>
      Effect.flatMap(ComputeOwner, (owner) =>
        Effect.acquireUseRelease(
          Effect.suspend(() => queueLimits.tryEnter(owner) ? Effect.void : new ComputeBusy({ job: job.name })),
          () => Effect.suspend(() => runInWorker(job.name, owner, encodeInput(job, input))),
          () => Effect.sync(() => queueLimits.leave(owner))
        )).pipe(
          Effect.map((output) => decodeOutput(job, output)),
          Effect.tapCause((cause) => logFailure(job.name, cause)),
          Effect.withSpan("Compute.run", { attributes: { job: job.name } }, { captureStackTrace: false })
        )
  })
})
