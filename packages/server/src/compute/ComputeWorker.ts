import { Data, Deferred, Effect } from "effect"
import { Worker } from "node:worker_threads"
import { type Asked, fromThrown, type Told, type WorkerData } from "./protocol.ts"

// Sources run as they are; what is published was compiled.
const entry = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url)

/**
 * Room for what a thread has just made: where nothing is said V8 takes a hundred MB for it, and gives little of it
 * back.
 */
const youngMb = 24

/** A worker ended that should not have, or cannot be asked. */
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

/** One thread. It is asked one thing at a time. */
export class ComputeWorker {
  readonly #thread: Worker
  #dead: WorkerDied | undefined
  /** What came of what it does: of starting at first, then of what it was asked last. */
  #result = Deferred.makeUnsafe<unknown, WorkerDied>()

  /** Starts a thread, which may be asked once it has `settled`. */
  constructor(data: WorkerData, heapMb: number) {
    this.#thread = new Worker(entry, {
      workerData: data,
      name: "tapeline-compute",
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
      // A test runner's or a debugger's own flags are not for it.
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

  /** A thread that has nothing to do keeps no process up. */
  #settle(result: Effect.Effect<unknown, WorkerDied>): void {
    this.#thread.unref()
    Deferred.doneUnsafe(this.#result, result)
  }

  /** True until the thread has ended. */
  get alive(): boolean {
    return this.#dead === undefined
  }

  /** True when it does nothing, so that it may be asked. */
  get idle(): boolean {
    return this.alive && Deferred.isDoneUnsafe(this.#result)
  }

  /** Waits for what it does now, and for no longer if its caller is interrupted. */
  get settled(): Effect.Effect<unknown, WorkerDied> {
    return Effect.suspend(() => Deferred.await(this.#result))
  }

  /** Asks for one job. Who gives up on it waits until it has `settled` or ends it: nothing else can end a job. */
  ask(asked: Asked): Effect.Effect<unknown, WorkerDied> {
    return Effect.suspend(() => {
      if (this.#dead !== undefined) return this.#dead
      try {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
        this.#thread.postMessage(asked)
      } catch (error) {
        // It was asked nothing, and is as free as it was.
        return Effect.die(error)
      }
      this.#thread.ref()
      this.#result = Deferred.makeUnsafe()
      return Deferred.await(this.#result)
    })
  }

  /** Ends the thread, whatever it does. */
  readonly end: Effect.Effect<void> = Effect.promise(async () => {
    await this.#thread.terminate()
  })
}
