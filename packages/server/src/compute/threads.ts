import { Clock, Effect, Exit, Fiber, Scope } from "effect"
import { getCompileCacheDir } from "node:module"
import { dirname } from "node:path"
import { ComputeWorker, WorkerDied } from "./ComputeWorker.ts"
import type { WorkerData } from "./protocol.ts"

/** The folder to pass to `enableCompileCache`, with one folder for each version of Node. */
const compiledFolder = (): string | undefined => {
  const own = getCompileCacheDir()
  return own === undefined ? undefined : dirname(own)
}

/** The limit for the start of a thread. A slower thread is ended. */
const startWithin = "30 seconds"

/** Runs the pool's own work on the machine's clock, even if callers provide another `Clock`. */
const byTheMachinesTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** Ends a thread and removes it from `all`. */
const endAmong = (all: Set<ComputeWorker>, worker: ComputeWorker) =>
  Effect.andThen(worker.end, Effect.sync(() => all.delete(worker)))

/** Starts a thread and adds it to `all` at once. Returns the thread when it accepts jobs. */
const startAmong = Effect.fnUntraced(function*(all: Set<ComputeWorker>, data: WorkerData, heapMb: number) {
  const worker = yield* Effect.try({
    try: () => new ComputeWorker(data, heapMb),
    catch: (cause) => new WorkerDied({ cause })
  })
  all.add(worker)
  yield* worker.settled.pipe(
    Effect.timeoutOrElse({
      duration: startWithin,
      orElse: () => new WorkerDied({ cause: `silent for ${startWithin}` })
    }),
    Effect.onError(() => endAmong(all, worker))
  )
  return worker
})

/** An idle thread, and the start of its idle time (`performance.now()`). */
interface Free {
  readonly worker: ComputeWorker
  readonly since: number
}

/** Checks `free` repeatedly and ends threads that have been idle for `idleMs`. */
const endIdle = (free: Array<Free>, all: Set<ComputeWorker>, idleMs: number) => {
  const look = Effect.suspend(() => {
    const before = performance.now() - idleMs
    const used = free.findIndex(({ since }) => since > before)
    const idle = free.splice(0, used < 0 ? free.length : used)
    return Effect.forEach(idle, ({ worker }) => endAmong(all, worker), { discard: true })
  })
  return byTheMachinesTime(Effect.forever(Effect.delay(look, idleMs / 2)))
}

/**
 * The threads of a pool. When the scope ends, all threads end and no other starts.
 *
 * `take` lends a thread to one job until the caller's scope ends; the exit of the scope is the exit of the job. If the
 * caller was interrupted, the job has `graceMs` to end before its thread is ended. A start belongs to no caller: if its
 * caller leaves, the next caller gets the thread. A thread that had to be ended is replaced at once. A thread that has
 * been idle for `idleMs` is ended, since it holds some 100 MB.
 */
export const makeThreads = Effect.fnUntraced(function*(
  { graceMs, heapMb, idleMs, modules }: {
    readonly modules: ReadonlyArray<string>
    readonly heapMb: number
    /** The time that a job may still run after its caller has left. If it ends in time, its thread is kept. */
    readonly graceMs: number
    readonly idleMs: number
  }
) {
  /** The idle threads, the most recently used one last. */
  const free: Array<Free> = []
  const release = (worker: ComputeWorker): void => void free.push({ worker, since: performance.now() })
  const all = new Set<ComputeWorker>()
  const starting = new Set<Fiber.Fiber<void, WorkerDied>>()
  let waiting = 0
  let closed = false
  yield* Effect.addFinalizer(() => {
    closed = true
    free.length = 0
    return Effect.forEach(all, ({ end }) => end, { discard: true, concurrency: "unbounded" })
  })

  const start = Effect.gen(function*() {
    if (closed) return yield* new WorkerDied({ cause: "the pool has ended" })
    const worker = yield* startAmong(all, { modules, compiled: compiledFolder() }, heapMb)
    if (!closed) release(worker)
  })
  const begin = Effect.gen(function*() {
    const fiber = yield* Effect.forkDetach(byTheMachinesTime(start), { startImmediately: true })
    starting.add(fiber)
    fiber.addObserver(() => starting.delete(fiber))
    return fiber
  })

  /** Waits until a thread has started. As many threads start as callers wait. */
  const untilStarted = Effect.gen(function*() {
    const [first] = starting
    yield* Fiber.join(first !== undefined && starting.size >= waiting ? first : yield* begin)
  })
  const next = (
    restore: <A, E>(waited: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ): Effect.Effect<ComputeWorker, WorkerDied> =>
    Effect.suspend(() => {
      for (let last = free.pop(); last !== undefined; last = free.pop()) {
        if (last.worker.idle) return Effect.succeed(last.worker)
        all.delete(last.worker)
      }
      waiting++
      const started = Effect.ensuring(restore(untilStarted), Effect.sync(() => void waiting--))
      return Effect.andThen(started, next(restore))
    })

  /** Returns a thread to the pool, also after a job that threw. Replaces a thread that still runs. */
  const giveBack = Effect.fnUntraced(function*(worker: ComputeWorker, exit: Exit.Exit<unknown, unknown>) {
    if (Exit.hasInterrupts(exit)) yield* Effect.exit(Effect.timeoutOption(worker.settled, graceMs))
    if (closed) return
    if (worker.idle) return release(worker)
    yield* endAmong(all, worker)
    if (!closed) yield* begin
  }, byTheMachinesTime)

  const take = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.scope,
      (scope) => Effect.tap(next(restore), (worker) => Scope.addFinalizerExit(scope, (exit) => giveBack(worker, exit)))
    )
  )
  yield* Effect.forkScoped(endIdle(free, all, idleMs))
  return { take, isClosed: () => closed }
})
