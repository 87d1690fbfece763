import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Doings, Trap, Word, WorkerOptions } from "./protocol.ts"

const program = fileURLToPath(new URL("worker.ts", import.meta.url))

/** The process has ended, perhaps before it answered. */
export class ProcessGone extends Error {}

/** A process that answers questions. The soak can kill and freeze it, also at a chosen failpoint of its program. */
export class Answerer {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #ready = Promise.withResolvers<void>()
  #trapped = Promise.withResolvers<void>()
  #id = 0
  /** The end of its output and errors. */
  output = ""

  /** `compiled` is the folder of Node's compile cache, which later processes reuse. */
  constructor(options: WorkerOptions, compiled: string) {
    this.#child = fork(program, [JSON.stringify(options)], {
      env: { NODE_COMPILE_CACHE: compiled, ...process.env },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      serialization: "advanced"
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => void (this.output = (this.output + text).slice(-20_000)))
    }
    this.#child.on("message", (word: Word) => this.#hear(word))
    this.#child.once("exit", () => {
      const gone = new ProcessGone(`The process has ended: ${this.output.slice(-2_000)}`)
      this.#ready.reject(gone)
      for (const { reject } of this.#waiting.values()) reject(gone)
      this.#waiting.clear()
    })
    this.#ready.promise.catch(() => undefined)
  }

  #hear(word: Word): void {
    switch (word._tag) {
      case "Ready":
        return this.#ready.resolve()
      case "Trapped":
        return this.#trapped.resolve()
      default: {
        const waiting = this.#waiting.get(word.id)
        this.#waiting.delete(word.id)
        if (word._tag === "Answered") waiting?.resolve(word.answered)
        else waiting?.reject(new Error(word.error))
      }
    }
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  async ask<K extends keyof Doings>(what: K, asked: Doings[K]["asked"]): Promise<Doings[K]["answered"]> {
    if (!this.#child.connected) throw new ProcessGone("The process has ended")
    const waiting = Promise.withResolvers<unknown>()
    const id = ++this.#id
    this.#waiting.set(id, waiting)
    this.#child.send({ id, what, asked })
    // The worker answers each order with this type.
    return await waiting.promise as Doings[K]["answered"]
  }

  /** Makes the process send itself a signal at a failpoint. `sprung` resolves when it does. */
  async trap(trap: Trap): Promise<{ readonly sprung: Promise<void> }> {
    this.#trapped = Promise.withResolvers()
    await this.ask("trap", trap)
    return { sprung: this.#trapped.promise }
  }

  /** Continues a frozen process and records the time (`Upstream.wentOn`). */
  goOn(wentOn: Map<number, number>): void {
    if (this.#child.pid !== undefined) wentOn.set(this.#child.pid, Date.now())
    this.#child.kill("SIGCONT")
  }

  async #ended(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit")
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#ended()
  }

  /** Lets the process stop in an orderly way, as after SIGTERM. */
  async stop(): Promise<void> {
    this.#child.send("stop")
    await this.#ended()
  }
}
