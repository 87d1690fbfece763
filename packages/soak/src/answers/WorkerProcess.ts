import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { FailpointTrigger, WorkerMessage, WorkerMethods, WorkerOptions } from "./protocol.ts"

const program = fileURLToPath(new URL("worker.ts", import.meta.url))

export class ProcessEnded extends Error {}

/**
 * A worker process that answers questions. The soak test can kill or freeze the process at any time, or at a failpoint.
 */
export class WorkerProcess {
  readonly #child: ChildProcess
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #ready = Promise.withResolvers<void>()
  #failpointReached = Promise.withResolvers<void>()
  #id = 0
  /** The last 20,000 characters of the process's output and errors. */
  output = ""

  /** Starts a worker process; `compileCacheDir` is the folder of Node's compile cache, which later processes reuse. */
  constructor(options: WorkerOptions, compileCacheDir: string) {
    this.#child = fork(program, [JSON.stringify(options)], {
      env: { NODE_COMPILE_CACHE: compileCacheDir, ...process.env },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      serialization: "advanced"
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => void (this.output = (this.output + text).slice(-20_000)))
    }
    this.#child.on("message", (message: WorkerMessage) => this.#handleMessage(message))
    this.#child.once("exit", () => {
      const processEnded = new ProcessEnded(`The process has ended: ${this.output.slice(-2_000)}`)
      this.#ready.reject(processEnded)
      for (const { reject } of this.#pending.values()) reject(processEnded)
      this.#pending.clear()
    })
    this.#ready.promise.catch(() => undefined)
  }

  #handleMessage(message: WorkerMessage): void {
    switch (message._tag) {
      case "Ready":
        return this.#ready.resolve()
      case "Trapped":
        return this.#failpointReached.resolve()
      default: {
        const pending = this.#pending.get(message.id)
        this.#pending.delete(message.id)
        if (message._tag === "Answered") pending?.resolve(message.result)
        else pending?.reject(new Error(message.error))
      }
    }
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  async call<K extends keyof WorkerMethods>(
    method: K,
    params: WorkerMethods[K]["params"]
  ): Promise<WorkerMethods[K]["result"]> {
    if (!this.#child.connected) throw new ProcessEnded("The process has ended")
    const pending = Promise.withResolvers<unknown>()
    const id = ++this.#id
    this.#pending.set(id, pending)
    this.#child.send({ id, method, params })
    // The cast is safe, because the worker answers each request with the result type of the requested method.
    return await pending.promise as WorkerMethods[K]["result"]
  }

  /**
   * Makes the process send a signal to itself when it reaches a failpoint. `reached` resolves when the process reaches
   * the failpoint.
   */
  async setFailpoint(setFailpoint: FailpointTrigger): Promise<{ readonly reached: Promise<void> }> {
    this.#failpointReached = Promise.withResolvers()
    await this.call("setFailpoint", setFailpoint)
    return { reached: this.#failpointReached.promise }
  }

  resume(resumedAt: Map<number, number>): void {
    if (this.#child.pid !== undefined) resumedAt.set(this.#child.pid, Date.now())
    this.#child.kill("SIGCONT")
  }

  async #waitForExit(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit")
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#waitForExit()
  }

  async stop(): Promise<void> {
    this.#child.send("stop")
    await this.#waitForExit()
  }
}
