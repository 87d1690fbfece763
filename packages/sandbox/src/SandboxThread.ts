import { Effect, Queue } from "effect"
import { Worker } from "node:worker_threads"
import type { Answered, Told, WorkerData } from "./protocol.ts"

/** What a thread needs beside the script's own memory, which is not V8's. */
const limits = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8, codeRangeSizeMb: 16 }

const start = (module: URL, workerData: unknown): Worker =>
  new Worker(module, {
    workerData,
    name: "tapeline-sandbox",
    resourceLimits: limits,
    // A test runner's or a debugger's own flags are not for it, nor is what the process was told.
    execArgv: [],
    env: {},
    // What it writes is for nobody.
    stdout: true,
    stderr: true
  })

/** What is heard of a thread. */
export type Heard = Told | { readonly _tag: "Died"; readonly cause: unknown }

/** A thread with one script. */
export class SandboxThread {
  readonly #worker: Worker
  readonly #heard: Queue.Queue<Heard>

  private constructor(worker: Worker, heard: Queue.Queue<Heard>) {
    this.#worker = worker
    this.#heard = heard
  }

  /** Starts a script in a thread of its own, which runs `module`. */
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

  /** What is heard next. */
  get next(): Effect.Effect<Heard> {
    return Queue.take(this.#heard)
  }

  answer(answered: Answered): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    this.#worker.postMessage(answered)
  }

  /** Ends the thread, whatever it does. */
  readonly end: Effect.Effect<void> = Effect.promise(async () => {
    await this.#worker.terminate()
  })
}

/** What a thread tells that has one thing to tell. */
export const toldBy = (module: URL, workerData: unknown): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const worker = start(module, workerData)
    worker.once("message", resolve).once("error", reject).once("exit", (code) => reject(new Error(`exit code ${code}`)))
    worker.stdout.resume()
    worker.stderr.resume()
  })
