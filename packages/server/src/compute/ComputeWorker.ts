import { Data, Deferred, Effect } from "effect"
import { Worker } from "node:worker_threads"
import { type Asked, fromThrown, type Told, type WorkerData } from "./protocol.ts"

// The repository runs its TypeScript sources. The published package contains compiled JavaScript.
const entry = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url)

/** The size of a thread's young generation, in MB. By default V8 takes 100 MB for it and returns little of it. */
const youngMb = 24

/** A worker ended unexpectedly, or cannot run jobs. */
export class WorkerDied extends Data.TaggedError("WorkerDied")<{ readonly cause: unknown }> {}

const resultOf = (told: Told): Effect.Effect<unknown, WorkerDied> => {
  switch (told._tag) {
    case "Ready":
      return Effect.void
    case "Unready":
      return new WorkerDied({ cause: fromThrown(told.thrown) })
    case "Done":
      return Effect.succeed(told.output)
    case "Threw":
      return Effect.die(fromThrown(told.thrown))
  }
}

/** One thread, which runs one job at a time. */
export class ComputeWorker {
  readonly #thread: Worker
  #dead: WorkerDied | undefined
  /** The result of the current work: first of the start, then of the newest job. */
  #result = Deferred.makeUnsafe<unknown, WorkerDied>()

  /** Starts a thread, which accepts a job once it has `settled`. */
  constructor(data: WorkerData, heapMb: number) {
    this.#thread = new Worker(entry, {
      workerData: data,
      name: "tapeline-compute",
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
      // Flags of a test runner or a debugger must not apply to the thread.
      execArgv: []
    })
    const died = (cause: unknown): void => {
      this.#dead ??= new WorkerDied({ cause })
    }
    this.#thread
      .on("message", (told: Told) => this.#settle(resultOf(told)))
      .on("messageerror", (error) => this.#settle(Effect.die(error)))
      .on("error", died)
      .on("exit", (code) => {
        died(`exit code ${code}`)
        this.#settle(this.#dead!)
      })
  }

  /** Publishes the result. An idle thread does not keep the process running. */
  #settle(result: Effect.Effect<unknown, WorkerDied>): void {
    this.#thread.unref()
    Deferred.doneUnsafe(this.#result, result)
  }

  /** True until the thread has ended. */
  get alive(): boolean {
    return this.#dead === undefined
  }

  /** True if the thread is idle and accepts a job. */
  get idle(): boolean {
    return this.alive && Deferred.isDoneUnsafe(this.#result)
  }

  /** Waits for the current work. An interruption of the caller ends only the wait. */
  get settled(): Effect.Effect<unknown, WorkerDied> {
    return Effect.suspend(() => Deferred.await(this.#result))
  }

  /**
   * Runs one job. A caller that gives up waits until the thread has `settled`, or ends the thread: nothing else ends a
   * job.
   */
  ask(asked: Asked): Effect.Effect<unknown, WorkerDied> {
    return Effect.suspend(() => {
      if (this.#dead !== undefined) return this.#dead
      try {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
        this.#thread.postMessage(asked)
      } catch (error) {
        // The thread received no job and is as idle as before.
        return Effect.die(error)
      }
      this.#thread.ref()
      this.#result = Deferred.makeUnsafe()
      return Deferred.await(this.#result)
    })
  }

  /** Ends the thread, even during a job. */
  readonly end: Effect.Effect<void> = Effect.promise(async () => {
    await this.#thread.terminate()
  })
}
