import { Data, Effect } from "effect"
import { Worker } from "node:worker_threads"
import type { Asked, Told, WorkerData } from "./protocol.ts"

// Sources run as they are; what is published was compiled.
const entry = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url)

/** A worker ended that should not have. */
export class WorkerDied extends Data.TaggedError("WorkerDied")<{ readonly cause: unknown }> {}

/** One thread. It is asked one thing at a time. */
export class ComputeWorker {
  readonly #worker: Worker
  #dead: WorkerDied | undefined

  private constructor(worker: Worker) {
    this.#worker = worker
    const died = (cause: unknown): void => {
      this.#dead ??= new WorkerDied({ cause })
    }
    worker.on("error", died)
    worker.on("exit", (code) => died(`exit code ${code}`))
  }

  /** Starts a thread and waits until it may be asked. */
  static readonly start = (data: WorkerData, heapMb: number): Effect.Effect<ComputeWorker, WorkerDied> =>
    Effect.suspend(() => {
      const thread = new Worker(entry, {
        workerData: data,
        name: "tapeline-compute",
        resourceLimits: { maxOldGenerationSizeMb: heapMb },
        // A test runner's or a debugger's own flags are not for it.
        execArgv: []
      })
      const worker = new ComputeWorker(thread)
      return worker.#next.pipe(
        Effect.as(worker),
        Effect.onExit((exit) => exit._tag === "Failure" ? worker.end : Effect.sync(() => thread.unref()))
      )
    })

  /** True until the thread has ended. */
  get alive(): boolean {
    return this.#dead === undefined
  }

  /** Asks for one job. Whoever gives up on it ends the worker, since nothing else can end a job. */
  ask(asked: Asked): Effect.Effect<unknown, WorkerDied> {
    return Effect.suspend(() => {
      this.#worker.ref()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
      this.#worker.postMessage(asked)
      return Effect.flatMap(this.#next, (told) => {
        this.#worker.unref()
        return told._tag === "Done"
          ? Effect.succeed(told.output)
          : Effect.die(told._tag === "Threw" ? told.error : told)
      })
    })
  }

  /** Ends the thread, whatever it does. */
  readonly end: Effect.Effect<void> = Effect.promise(async () => {
    await this.#worker.terminate()
  })

  /** The next thing that the thread tells. */
  get #next(): Effect.Effect<Told, WorkerDied> {
    return Effect.callback<Told, WorkerDied>((resume) => {
      if (this.#dead !== undefined) return resume(Effect.fail(this.#dead))
      const told = (what: Told): void => {
        stop()
        resume(Effect.succeed(what))
      }
      const ended = (): void => {
        stop()
        resume(Effect.fail(this.#dead!))
      }
      const unreadable = (error: unknown): void => {
        stop()
        resume(Effect.die(error))
      }
      const stop = (): void => {
        this.#worker.off("message", told).off("exit", ended).off("messageerror", unreadable)
      }
      this.#worker.on("message", told).on("exit", ended).on("messageerror", unreadable)
      return Effect.sync(stop)
    })
  }
}
