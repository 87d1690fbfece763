import { type StartedProgram, startProgram } from "@tapeline/testing/programs"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { makeLogReader } from "./nodeLog.ts"

const serverMain = fileURLToPath(new URL("../../server/src/main.ts", import.meta.url))

/** A process of the service that the soak test can kill, freeze and restart, on a new port after each start. */
export interface ServiceNode {
  readonly name: string
  readonly address: () => string | null
  /** Starts the process, and retries until the process listens or `timeoutMs` have passed. */
  readonly start: (timeoutMs: number) => Promise<void>
  readonly signal: (signal: NodeJS.Signals) => void
  readonly kill: () => Promise<void>
  readonly isRunning: () => boolean
  readonly errors: () => ReadonlyMap<string, number>
  /**
   * Returns true if the node has released its cluster shards because of a database outage, and has not recovered yet.
   */
  readonly hasReleasedShards: () => boolean
}

export const makeNode = (name: string, environment: Readonly<Record<string, string>>): ServiceNode => {
  let program: StartedProgram | null = null
  let address: string | null = null
  const errors = new Map<string, number>()
  let log = makeLogReader(errors)

  const isRunning = (): boolean =>
    program !== null && program.child.exitCode === null && program.child.signalCode === null

  const kill = async () => {
    address = null
    if (isRunning()) await program?.end("SIGKILL")
  }

  const startOnce = async (timeoutMs: number): Promise<string | null> => {
    await kill()
    program = startProgram({
      args: [serverMain],
      cwd: tmpdir(),
      environment: { PORT: "0", ...environment },
      pattern: /^Tapeline listens on (\S+)/m,
      timeoutMs
    })
    log = makeLogReader(errors)
    program.child.stderr!.on("data", log.append)
    return program.started.then((match) => match[1]!, () => null)
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
      throw new Error(`${name} did not start within ${timeoutMs} ms: ${program?.output.stderr}`)
    },
    signal: (signal) => void program?.child.kill(signal),
    kill,
    isRunning,
    errors: () => errors,
    hasReleasedShards: () => log.hasReleasedShards()
  }
}

export const makeNodes = (count: number, environment: Readonly<Record<string, string>>): ReadonlyArray<ServiceNode> =>
  Array.from({ length: count }, (_, i) => makeNode(`node ${i + 1}`, environment))
