import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

/** A server in a separate process, for a load test. */
export interface ServerUnderTest {
  readonly name: string
  readonly url: string
  /** The API keys of different accounts, which the load uses in turn. */
  readonly keys: ReadonlyArray<string>
  readonly pid: number
  /** The data folder of the server's PostgreSQL; undefined without PostgreSQL. */
  readonly postgresDir?: string | undefined
  readonly stop: () => Promise<void>
}

/** The program of a server: its file, its arguments, and the pattern of its output. */
export interface ServerProgram {
  readonly name: string
  readonly file: string
  readonly args?: ReadonlyArray<string>
  readonly flags?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
  /** Matches the URL in a line that the program prints when it listens. */
  readonly listenPattern: RegExp
}

/**
 * Starts a program, and waits until it listens. Resolves with the URL of the program, its process id and the lines
 * printed so far.
 */
export const startServerProgram = async (
  { args = [], environment = {}, file, flags = [], listenPattern, name }: ServerProgram
) => {
  const child: ChildProcess = spawn(process.execPath, [...flags, file, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
  }
  const lines: Array<string> = []
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line)
    const address = listenPattern.exec(line)?.[1]
    if (address !== undefined) {
      child.stdout!.resume()
      return { address, lines, pid: child.pid!, stop }
    }
  }
  throw new Error(`${name} did not start: ${lines.join("\n")}`)
}

/**
 * Returns the API keys that a program printed as JSON after "keys". If the program printed no keys, returns a
 * placeholder that no server checks.
 */
export const parseKeys = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const line = lines.find((one) => one.startsWith("keys "))
  if (line === undefined) return ["none"]
  // The programs of the benches print this shape.
  return JSON.parse(line.slice(5)) as ReadonlyArray<string>
}
