import { type ChildProcess, spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { makeLogReader } from "./nodeLog.ts"

const serverMain = fileURLToPath(new URL("../../server/src/main.ts", import.meta.url))

/** A process of the service that the soak test can kill, freeze and restart. Each start uses a new port. */
export interface ServiceNode {
  readonly name: string
  /** Returns the URL of the process, or null while the process does not listen. */
  readonly address: () => string | null
  /** Starts the process, and retries until it listens or `timeoutMs` have passed. */
  readonly start: (timeoutMs: number) => Promise<void>
  readonly signal: (signal: NodeJS.Signals) => void
  /** Sends SIGKILL, and waits for the end of the process. */
  readonly kill: () => Promise<void>
  readonly isRunning: () => boolean
  /** Returns the number of logged errors, by message. */
  readonly errors: () => ReadonlyMap<string, number>
  /** Returns whether the node's cluster has released its shards and has not recovered since. */
  readonly hasReleasedShards: () => boolean
}

const waitForAddress = (child: ChildProcess, timeoutMs: number): Promise<string | null> =>
  new Promise((resolve) => {
    let text = ""
    const timer = setTimeout(() => resolve(null), timeoutMs)
    const finish = (address: string | null) => {
      clearTimeout(timer)
      resolve(address)
    }
    child.stdout!.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      const found = /^Tapeline listens on (\S+)/m.exec(text)?.[1]
      if (found !== undefined) finish(found)
    })
    child.once("exit", () => finish(null))
  })

export const makeNode = (name: string, environment: Readonly<Record<string, string>>): ServiceNode => {
  let child: ChildProcess | null = null
  let address: string | null = null
  const errors = new Map<string, number>()
  let log = makeLogReader(errors)

  const kill = async () => {
    const running = child
    address = null
    if (running === null || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running.once("exit", resolve))
    running.kill("SIGKILL")
    await ended
  }

  const startOnce = async (timeoutMs: number) => {
    await kill()
    const newChild = spawn(process.execPath, [serverMain], {
      cwd: tmpdir(),
      env: { PATH: process.env["PATH"] ?? "", PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    log = makeLogReader(errors)
    newChild.stderr.setEncoding("utf8").on("data", log.append)
    child = newChild
    return waitForAddress(newChild, timeoutMs)
  }

  return {
    name,
    address: () => address,
    start: async (timeoutMs) => {
      const deadline = performance.now() + timeoutMs
      do {
        address = await startOnce(deadline - performance.now())
        if (address !== null) return
      } while (performance.now() < deadline)
      throw new Error(`${name} did not start within ${timeoutMs} ms`)
    },
    signal: (signal) => void child?.kill(signal),
    kill,
    isRunning: () => child !== null && child.exitCode === null && child.signalCode === null,
    errors: () => errors,
    hasReleasedShards: () => log.hasReleasedShards()
  }
}

/** Creates several processes of the service with the same settings. */
export const makeNodes = (count: number, environment: Readonly<Record<string, string>>): ReadonlyArray<ServiceNode> =>
  Array.from({ length: count }, (_, i) => makeNode(`node ${i + 1}`, environment))
