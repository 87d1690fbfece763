import { Clock, Effect, Exit, Fiber, Scope } from "effect"
import { getCompileCacheDir } from "node:module"
import { dirname } from "node:path"
import { ComputeWorker, WorkerDied } from "./ComputeWorker.ts"
import type { WorkerData } from "./protocol.ts"

/** As `enableCompileCache` takes it: the folder that has one of each version of Node. */
const compiledFolder = (): string | undefined => {
  const own = getCompileCacheDir()
  return own === undefined ? undefined : dirname(own)
}

/** A thread that takes longer than this to start does not start at all. */
const startWithin = "30 seconds"

/** What a pool does by itself goes by the machine's time, whatever time its callers have. */
const byTheMachinesTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

/** Ends a thread, one of `all`. */
const endAmong = (all: Set<ComputeWorker>, worker: ComputeWorker) =>
  Effect.andThen(worker.end, Effect.sync(() => all.delete(worker)))

/** Starts a thread, which is one of `all` from the first, and gives it when it may be asked. */
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

/** A thread that waits for work, and since when (`performance.now()`). */
interface Free {
  readonly worker: ComputeWorker
  readonly since: number
}

/** Ends those of `free` whom nobody has asked for so long, again and again. */
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
 * The threads of a pool, until its scope ends: then all of them end, and no other starts.
 *
 * `take` gives a thread to one job, for as long as a scope, whose exit is the job's. Where its caller was interrupted
 * the job has a while to end by itself before its thread is ended. A start belongs to no caller: who leaves meanwhile
 * leaves a thread for the next. A thread that had to be ended is replaced at once, before somebody asks for another.
 * One that nobody has asked for `idleMs` is ended too, since it holds some 100 MB.
 */
export const makeThreads = Effect.fnUntraced(function*(
  { graceMs, heapMb, idleMs, modules }: {
    readonly modules: ReadonlyArray<string>
    readonly heapMb: number
    /** How long a job whose caller has left may go on, so that its thread is kept. */
    readonly graceMs: number
    readonly idleMs: number
  }
) {
  /** Those that wait for work, the one that worked last at the end. */
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

  /** As many start as there are callers who wait for one; who finds that another took it looks again. */
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

  /** A bug in a job is none of its thread's, which is used again whenever its job has ended by itself. */
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
