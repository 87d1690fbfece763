import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

/** A server in a process of its own, to be loaded. */
export interface Subject {
  readonly name: string
  readonly url: string
  /** Keys of as many accounts, which the load takes in turn. */
  readonly keys: ReadonlyArray<string>
  readonly pid: number
  /** Where the files of the PostgreSQL are that it asks, if it asks one. */
  readonly postgresDir?: string | undefined
  readonly stop: () => Promise<void>
}

/** A server's program, and what it reads and says. */
export interface Program {
  readonly name: string
  readonly file: string
  readonly args?: ReadonlyArray<string>
  readonly flags?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
  /** Takes the address from a line that it prints once it listens. */
  readonly listens: RegExp
}

/** Starts a program; resolves with its address, its process, and every line that it said until then. */
export const start = async ({ args = [], environment = {}, file, flags = [], listens, name }: Program) => {
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
    const address = listens.exec(line)?.[1]
    if (address !== undefined) {
      child.stdout!.resume()
      return { address, lines, pid: child.pid!, stop }
    }
  }
  throw new Error(`${name} did not start: ${lines.join("\n")}`)
}

/** The keys that a program printed, as JSON after "keys"; one that nobody looks at when it printed none. */
export const keysIn = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const line = lines.find((one) => one.startsWith("keys "))
  if (line === undefined) return ["none"]
  // As the programs of the benches print them.
  return JSON.parse(line.slice(5)) as ReadonlyArray<string>
}
