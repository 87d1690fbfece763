import { Clock, Effect, Exit, Fiber, Scope } from "effect"
import { getCompileCacheDir } from "node:module"
import { dirname } from "node:path"
import { ComputeWorker, WorkerDied } from "./ComputeWorker.ts"
import type { WorkerData } from "./protocol.ts"

/** Returns the folder to pass to `enableCompileCache`. The folder has one subfolder for each version of Node. */
const compileCacheParent = (): string | undefined => {
  const currentFolder = getCompileCacheDir()
  return currentFolder === undefined ? undefined : dirname(currentFolder)
}

const startTimeout = "30 seconds"

/** Makes the thread pool use the system clock, even if a caller provides another `Clock`. */
const withSystemClock = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

const terminateAndRemove = (workers: Set<ComputeWorker>, worker: ComputeWorker) =>
  Effect.andThen(worker.terminate, Effect.sync(() => workers.delete(worker)))

/**
 * Starts a thread and immediately adds the thread to `workers`. Returns the thread when the thread is ready for jobs.
 */
const startAndAdd = Effect.fnUntraced(function*(workers: Set<ComputeWorker>, data: WorkerData, heapMb: number) {
  const worker = yield* Effect.try({
    try: () => new ComputeWorker(data, heapMb),
    catch: (cause) => new WorkerDied({ cause })
  })
  workers.add(worker)
  yield* worker.awaitResult.pipe(
    Effect.timeoutOrElse({
      duration: startTimeout,
      orElse: () => new WorkerDied({ cause: `no response for ${startTimeout}` })
    }),
    Effect.onError(() => terminateAndRemove(workers, worker))
  )
  return worker
})

/** An idle thread, and the `performance.now()` at which the thread became idle. */
interface IdleWorker {
  readonly worker: ComputeWorker
  readonly idleSinceMs: number
}

/** Ends threads that have been idle for `idleMs`, and checks for idle threads every `idleMs / 2`. */
const terminateIdleWorkers = (idleWorkers: Array<IdleWorker>, workers: Set<ComputeWorker>, idleMs: number) => {
  const sweep = Effect.suspend(() => {
    const expiredBeforeMs = performance.now() - idleMs
    const firstRecent = idleWorkers.findIndex(({ idleSinceMs }) => idleSinceMs > expiredBeforeMs)
    const expired = idleWorkers.splice(0, firstRecent < 0 ? idleWorkers.length : firstRecent)
    return Effect.forEach(expired, ({ worker }) => terminateAndRemove(workers, worker), { discard: true })
  })
  return withSystemClock(Effect.forever(Effect.delay(sweep, idleMs / 2)))
}

/**
 * Creates the threads of a pool, which all end when the scope ends. `take` lends a thread to one job until the scope of
 * the caller ends. The caller must close the scope with the `Exit` of the job. If the caller of a job was interrupted,
 * the job has `graceMs` to end before its thread is ended and replaced. If a caller leaves during the start of a
 * thread, the next caller gets the thread. Idle threads are ended, since a thread uses some 100 MB.
 */
export const makeWorkerPool = Effect.fnUntraced(function*(
  { graceMs, heapMb, idleMs, modules }: {
    readonly modules: ReadonlyArray<string>
    readonly heapMb: number
    /** The time in ms that a job may still run after its caller has left, before the pool replaces the job's thread. */
    readonly graceMs: number
    readonly idleMs: number
  }
) {
  /** The idle threads, with the most recently used thread last. */
  const idleWorkers: Array<IdleWorker> = []
  const release = (worker: ComputeWorker): void => void idleWorkers.push({ worker, idleSinceMs: performance.now() })
  const workers = new Set<ComputeWorker>()
  const startingFibers = new Set<Fiber.Fiber<void, WorkerDied>>()
  let waitingCount = 0
  let isClosed = false
  yield* Effect.addFinalizer(() => {
    isClosed = true
    idleWorkers.length = 0
    return Effect.forEach(workers, ({ terminate }) => terminate, { discard: true, concurrency: "unbounded" })
  })

  const startWorker = Effect.gen(function*() {
    if (isClosed) return yield* new WorkerDied({ cause: "the pool is closed" })
    const worker = yield* startAndAdd(workers, { modules, compileCacheFolder: compileCacheParent() }, heapMb)
    if (!isClosed) release(worker)
  })
  const forkStart = Effect.gen(function*() {
    const fiber = yield* Effect.forkDetach(withSystemClock(startWorker), { startImmediately: true })
    startingFibers.add(fiber)
    fiber.addObserver(() => startingFibers.delete(fiber))
    return fiber
  })

  /** Waits until a thread has started. Starts another thread if fewer threads are starting than callers are waiting. */
  const awaitStart = Effect.gen(function*() {
    const [first] = startingFibers
    yield* Fiber.join(first !== undefined && startingFibers.size >= waitingCount ? first : yield* forkStart)
  })
  const takeNext = (
    restore: <A, E>(waited: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ): Effect.Effect<ComputeWorker, WorkerDied> =>
    Effect.suspend(() => {
      for (let candidate = idleWorkers.pop(); candidate !== undefined; candidate = idleWorkers.pop()) {
        if (candidate.worker.isIdle) return Effect.succeed(candidate.worker)
        workers.delete(candidate.worker)
      }
      waitingCount++
      const started = Effect.ensuring(restore(awaitStart), Effect.sync(() => void waitingCount--))
      return Effect.andThen(started, takeNext(restore))
    })

  /** Returns a thread to the pool, even after a job that threw, and replaces a thread that still runs its job. */
  const returnWorker = Effect.fnUntraced(function*(worker: ComputeWorker, exit: Exit.Exit<unknown, unknown>) {
    if (Exit.hasInterrupts(exit)) yield* Effect.exit(Effect.timeoutOption(worker.awaitResult, graceMs))
    if (isClosed) return
    if (worker.isIdle) return release(worker)
    yield* terminateAndRemove(workers, worker)
    if (!isClosed) yield* forkStart
  }, withSystemClock)

  const acquire = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.scope,
      (scope) =>
        Effect.tap(takeNext(restore), (worker) => Scope.addFinalizerExit(scope, (exit) => returnWorker(worker, exit)))
    )
  )
  yield* Effect.forkScoped(terminateIdleWorkers(idleWorkers, workers, idleMs))
  return { take: acquire, isClosed: () => isClosed }
})
