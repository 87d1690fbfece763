import { Data, Deferred, Effect } from "effect"
import { Worker } from "node:worker_threads"
import { deserializeError, type JobRequest, type WorkerData, type WorkerMessage } from "./protocol.ts"

const workerUrl = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url)

/**
 * The maximum size of a worker thread's young generation, in MB. V8's default maximum is 100 MB, and V8 releases little
 * unused memory.
 */
const youngGenerationMb = 24

export class WorkerDied extends Data.TaggedError("WorkerDied")<{ readonly cause: unknown }> {}

const toResult = (message: WorkerMessage): Effect.Effect<unknown, WorkerDied> => {
  switch (message._tag) {
    case "Ready":
      return Effect.void
    case "Unready":
      return new WorkerDied({ cause: deserializeError(message.thrown) })
    case "Done":
      return Effect.succeed(message.output)
    case "Threw":
      return Effect.die(deserializeError(message.thrown))
  }
}

/** A worker thread, which runs one job at a time. */
export class ComputeWorker {
  readonly #thread: Worker
  #death: WorkerDied | undefined
  /** The result of the thread's current work. The current work is the start of the thread or the newest job. */
  #result = Deferred.makeUnsafe<unknown, WorkerDied>()

  /** Starts a thread. The thread accepts jobs as soon as `awaitResult` has succeeded. */
  constructor(data: WorkerData, heapMb: number) {
    this.#thread = new Worker(workerUrl, {
      workerData: data,
      name: "tapeline-compute",
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngGenerationMb },
      // The thread gets no flags of the process, because flags of a test runner or a debugger must not apply to the
      // thread.
      execArgv: []
    })
    const markDead = (cause: unknown): void => {
      this.#death ??= new WorkerDied({ cause })
    }
    this.#thread
      .on("message", (message: WorkerMessage) => this.#settle(toResult(message)))
      .on("messageerror", (error) => this.#settle(Effect.die(error)))
      .on("error", markDead)
      .on("exit", (code) => {
        markDead(`exit code ${code}`)
        this.#settle(this.#death!)
      })
  }

  /** Publishes the result of the thread's current work. An idle thread does not keep the process alive. */
  #settle(result: Effect.Effect<unknown, WorkerDied>): void {
    this.#thread.unref()
    Deferred.doneUnsafe(this.#result, result)
  }

  get isAlive(): boolean {
    return this.#death === undefined
  }

  get isIdle(): boolean {
    return this.isAlive && Deferred.isDoneUnsafe(this.#result)
  }

  /** Waits for the thread's current work. The work continues if the caller is interrupted. */
  get awaitResult(): Effect.Effect<unknown, WorkerDied> {
    return Effect.suspend(() => Deferred.await(this.#result))
  }

  /** Runs a job. If the caller is interrupted, the job continues until the thread is terminated. */
  run(request: JobRequest): Effect.Effect<unknown, WorkerDied> {
    return Effect.suspend(() => {
      if (this.#death !== undefined) return this.#death
      try {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
        this.#thread.postMessage(request)
      } catch (error) {
        // `postMessage` failed, so the thread received no job and stays idle.
        return Effect.die(error)
      }
      this.#thread.ref()
      this.#result = Deferred.makeUnsafe()
      return Deferred.await(this.#result)
    })
  }

  readonly terminate: Effect.Effect<void> = Effect.promise(async () => {
    await this.#thread.terminate()
  })
}
