import { Effect, Queue } from "effect"
import { Worker } from "node:worker_threads"
import type { CallResult, ThreadMessage, WorkerData } from "./protocol.ts"

/** The limits of V8's heap in a sandbox thread. The memory of the script is not part of V8's heap. */
const resourceLimits = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8, codeRangeSizeMb: 16 }

const startWorker = (module: URL, workerData: unknown): Worker =>
  new Worker(module, {
    workerData,
    name: "tapeline-sandbox",
    resourceLimits,
    // The thread inherits neither the environment of the process nor the flags of a test runner or a debugger.
    execArgv: [],
    env: {},
    // The process does not print the output of the thread.
    stdout: true,
    stderr: true
  })

export type ThreadMessageOrDeath = ThreadMessage | { readonly _tag: "Died"; readonly cause: unknown }

export class SandboxThread {
  readonly #worker: Worker
  readonly #messages: Queue.Queue<ThreadMessageOrDeath>

  private constructor(worker: Worker, messages: Queue.Queue<ThreadMessageOrDeath>) {
    this.#worker = worker
    this.#messages = messages
  }

  static readonly start = (module: URL, data: WorkerData): Effect.Effect<SandboxThread> =>
    Effect.map(Queue.unbounded<ThreadMessageOrDeath>(), (messages) => {
      const worker = startWorker(module, data)
      const onDied = (cause: unknown) => void Queue.offerUnsafe(messages, { _tag: "Died", cause })
      worker
        .on("message", (message: ThreadMessage) => void Queue.offerUnsafe(messages, message))
        .on("messageerror", onDied)
        .on("error", onDied)
        .on("exit", (code) => onDied(new Error(`exit code ${code}`)))
      worker.stdout.resume()
      worker.stderr.resume()
      return new SandboxThread(worker, messages)
    })

  get nextMessage(): Effect.Effect<ThreadMessageOrDeath> {
    return Queue.take(this.#messages)
  }

  reply(result: CallResult): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    this.#worker.postMessage(result)
  }

  /** Terminates the thread, even if the script of the thread is in an endless loop. */
  readonly end: Effect.Effect<void> = Effect.promise(async () => {
    await this.#worker.terminate()
  })
}

/** Starts a thread and returns the first message that the thread sends. */
export const readOneMessage = (module: URL, workerData: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const worker = startWorker(module, workerData)
    worker.once("message", resolve).once("error", reject).once("exit", (code) => reject(new Error(`exit code ${code}`)))
    worker.stdout.resume()
    worker.stderr.resume()
  })
