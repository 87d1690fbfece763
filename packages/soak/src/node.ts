import { type ChildProcess, spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { readLog } from "./nodeLog.ts"

const main = fileURLToPath(new URL("../../server/src/main.ts", import.meta.url))

/** A process of the service that the soak can kill, freeze and restart. Each start uses a new port. */
export interface ServiceNode {
  readonly name: string
  /** The address, or null while it does not listen. */
  readonly address: () => string | null
  /** Retries the start until the process listens, or `withinMs` have passed. */
  readonly start: (withinMs: number) => Promise<void>
  readonly signal: (signal: NodeJS.Signals) => void
  /** Sends SIGKILL and waits for the end. */
  readonly kill: () => Promise<void>
  readonly runs: () => boolean
  /** The number of logged errors, by message. */
  readonly errors: () => ReadonlyMap<string, number>
  /** Whether its cluster has released its shards and not recovered since. */
  readonly letGo: () => boolean
}

const listening = (child: ChildProcess, withinMs: number): Promise<string | null> =>
  new Promise((resolve) => {
    let text = ""
    const timer = setTimeout(() => resolve(null), withinMs)
    const done = (address: string | null) => {
      clearTimeout(timer)
      resolve(address)
    }
    child.stdout!.setEncoding("utf8").on("data", (part: string) => {
      text += part
      const found = /^Tapeline listens on (\S+)/m.exec(text)?.[1]
      if (found !== undefined) done(found)
    })
    child.once("exit", () => done(null))
  })

export const makeNode = (name: string, environment: Readonly<Record<string, string>>): ServiceNode => {
  let child: ChildProcess | null = null
  let address: string | null = null
  const errors = new Map<string, number>()
  let log = readLog(errors)

  const kill = async () => {
    const running = child
    address = null
    if (running === null || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running.once("exit", resolve))
    running.kill("SIGKILL")
    await ended
  }

  const startOnce = async (withinMs: number) => {
    await kill()
    const started = spawn(process.execPath, [main], {
      cwd: tmpdir(),
      env: { PATH: process.env["PATH"] ?? "", PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    log = readLog(errors)
    started.stderr.setEncoding("utf8").on("data", log.take)
    child = started
    return listening(started, withinMs)
  }

  return {
    name,
    address: () => address,
    start: async (withinMs) => {
      const deadline = performance.now() + withinMs
      do {
        address = await startOnce(deadline - performance.now())
        if (address !== null) return
      } while (performance.now() < deadline)
      throw new Error(`${name} did not start within ${withinMs} ms`)
    },
    signal: (signal) => void child?.kill(signal),
    kill,
    runs: () => child !== null && child.exitCode === null && child.signalCode === null,
    errors: () => errors,
    letGo: () => log.letGo()
  }
}

/** Creates several processes with the same settings. */
export const makeNodes = (count: number, environment: Readonly<Record<string, string>>): ReadonlyArray<ServiceNode> =>
  Array.from({ length: count }, (_, i) => makeNode(`node ${i + 1}`, environment))
