import { Effect, Queue } from "effect"
import { Worker } from "node:worker_threads"
import type { Answered, Told, WorkerData } from "./protocol.ts"

/** Memory limits of a thread, apart from the script's own memory, which is not part of V8's heap. */
const limits = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8, codeRangeSizeMb: 16 }

const start = (module: URL, workerData: unknown): Worker =>
  new Worker(module, {
    workerData,
    name: "tapeline-sandbox",
    resourceLimits: limits,
    // The thread gets neither the flags of a test runner or a debugger nor the environment of the process.
    execArgv: [],
    env: {},
    // Output of the thread is discarded.
    stdout: true,
    stderr: true
  })

/** A message from a thread, or its death. */
export type Heard = Told | { readonly _tag: "Died"; readonly cause: unknown }

/** A thread that runs one script. */
export class SandboxThread {
  readonly #worker: Worker
  readonly #heard: Queue.Queue<Heard>

  private constructor(worker: Worker, heard: Queue.Queue<Heard>) {
    this.#worker = worker
    this.#heard = heard
  }

  /** Starts a script in its own thread, which runs `module`. */
  static readonly start = (module: URL, data: WorkerData): Effect.Effect<SandboxThread> =>
    Effect.map(Queue.unbounded<Heard>(), (heard) => {
      const worker = start(module, data)
      const died = (cause: unknown) => void Queue.offerUnsafe(heard, { _tag: "Died", cause })
      worker
        .on("message", (told: Told) => void Queue.offerUnsafe(heard, told))
        .on("messageerror", died)
        .on("error", died)
        .on("exit", (code) => died(new Error(`exit code ${code}`)))
      worker.stdout.resume()
      worker.stderr.resume()
      return new SandboxThread(worker, heard)
    })

  /** Returns the next message from the thread. */
  get next(): Effect.Effect<Heard> {
    return Queue.take(this.#heard)
  }

  answer(answered: Answered): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    this.#worker.postMessage(answered)
  }

  /** Ends the thread, also while it is busy. */
  readonly end: Effect.Effect<void> = Effect.promise(async () => {
    await this.#worker.terminate()
  })
}

/** Starts a thread that sends one message, and returns that message. */
export const toldBy = (module: URL, workerData: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const worker = start(module, workerData)
    worker.once("message", resolve).once("error", reject).once("exit", (code) => reject(new Error(`exit code ${code}`)))
    worker.stdout.resume()
    worker.stderr.resume()
  })
