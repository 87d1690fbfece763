import { Compute, ComputeBusy, ComputeCrashed, ComputeTimeout, decodeOutput, encodeInput } from "@tapeline/core/compute"
import { Effect, Exit, Layer, Semaphore } from "effect"
import { availableParallelism } from "node:os"
import { ComputeWorker, WorkerDied } from "./ComputeWorker.ts"

export interface ComputePoolOptions {
  /** Threads at most; they start when they are needed. By default one fewer than there are cores, from 1 to 4. */
  readonly workers?: number | undefined
  /** At most so many jobs wait for a thread; 64 by default. */
  readonly maxWaiting?: number
  /** How long a job may run, in ms; 10 seconds by default. */
  readonly limitMs?: number
  /** How much a thread may keep in memory, in MB; beyond it the thread ends; 512 by default. */
  readonly heapMb?: number
  /** Modules with jobs of one's own, by URL: each exports `jobs: ReadonlyArray<NamedJob>`. Core's are always there. */
  readonly modules?: ReadonlyArray<string>
}

/** `Compute` in threads of their own. They end with the layer. */
export const layerComputePool = (options: ComputePoolOptions = {}): Layer.Layer<never> =>
  Layer.effect(Compute, makePool(options))

/** A thread that takes longer than this to start does not start at all. */
const startWithin = "30 seconds"

/** The threads of a pool: those that wait for work, and all that there are. */
const makeThreads = Effect.fnUntraced(function*(modules: ReadonlyArray<string>, heapMb: number) {
  const idle: Array<ComputeWorker> = []
  const all = new Set<ComputeWorker>()
  yield* Effect.addFinalizer(() => Effect.forEach(all, ({ end }) => end, { discard: true }))

  const start = ComputeWorker.start({ modules }, heapMb).pipe(
    Effect.timeoutOrElse({
      duration: startWithin,
      orElse: () => new WorkerDied({ cause: `silent for ${startWithin}` })
    }),
    Effect.tap((worker) => Effect.sync(() => all.add(worker)))
  )
  const acquire = Effect.suspend(() => {
    for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) {
      if (worker.alive) return Effect.succeed(worker)
      all.delete(worker)
    }
    return start
  })
  /** A thread is used again only when its job has ended by itself; a bug in a job is none of the thread's. */
  const release = (worker: ComputeWorker, exit: Exit.Exit<unknown, unknown>) => {
    const ended = Exit.isSuccess(exit) || (Exit.hasDies(exit) && !Exit.hasInterrupts(exit))
    if (ended && worker.alive) return Effect.sync(() => void idle.push(worker))
    return Effect.andThen(worker.end, Effect.sync(() => all.delete(worker)))
  }
  return { acquire, release }
})

const makePool = Effect.fnUntraced(function*(options: ComputePoolOptions) {
  const workers = options.workers ?? Math.min(4, Math.max(1, availableParallelism() - 1))
  const places = workers + (options.maxWaiting ?? 64)
  const { heapMb = 512, limitMs = 10_000, modules = [] } = options
  const { acquire, release } = yield* makeThreads(modules, heapMb)
  const turns = yield* Semaphore.make(workers)
  let taken = 0

  /** One of the places, running or waiting. */
  const place = (job: string) =>
    Effect.suspend(() => {
      if (taken >= places) return new ComputeBusy({ job })
      taken++
      return Effect.void
    })
  const leave = Effect.sync(() => void taken--)

  const inThread = (job: string, input: unknown) =>
    Effect.acquireUseRelease(
      Effect.interruptible(acquire),
      (worker) =>
        Effect.timeoutOrElse(worker.ask({ job, input }), {
          duration: limitMs,
          orElse: () => new ComputeTimeout({ job, limitMs })
        }),
      release
    ).pipe(Effect.catchTag("WorkerDied", ({ cause }) => new ComputeCrashed({ job, cause })))

  return Compute.of({
    run: (job, input) =>
      Effect.acquireUseRelease(
        place(job.name),
        () => turns.withPermit(Effect.suspend(() => inThread(job.name, encodeInput(job, input)))),
        () => leave
      ).pipe(
        Effect.map((output) => decodeOutput(job, output)),
        Effect.withSpan("Compute.run", { attributes: { job: job.name } }, { captureStackTrace: false })
      )
  })
})
