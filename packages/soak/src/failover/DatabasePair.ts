import { serverUser } from "@tapeline/testing/postgresServer"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, mkdirSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import type { Query } from "../audit.ts"

/** A primary and its synchronous standby. */
export interface DatabasePair {
  /** The value of `DATABASE_URL`. */
  readonly url: string
  readonly query: Query
  /** Kills all processes on the primary's machine. */
  readonly killPrimary: () => void
  /** Stops all processes on the primary's machine, so that its connections stay open but silent. */
  readonly freezePrimary: () => void
  /** Stops all processes on the standby's machine. */
  readonly freezeStandby: () => void
  /** Returns when the standby is the new primary. */
  readonly awaitPromotion: () => Promise<void>
  /** Starts or continues the lost server. Returns when it is the synchronous standby of the other one. */
  readonly restoreLost: () => Promise<void>
  readonly stop: () => Promise<void>
}

export const databaseUser = serverUser()

/** Creates a folder that belongs to the user of the database server. */
export const makeServerFolder = (folder: string): string => {
  const { gid, uid } = databaseUser
  mkdirSync(folder, { mode: 0o700 })
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  return folder
}

/** Waits until a check returns true. Throws after `timeoutMs`. */
export const waitUntil = async (what: string, timeoutMs: number, check: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + timeoutMs
  while (!(await check().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`)
    await sleep(50)
  }
}

export interface Service {
  readonly pid: number
  readonly output: () => string
  readonly kill: () => Promise<void>
}

/** Starts a program that runs until it is killed. */
export const startService = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly uid?: number; readonly gid?: number }
): Service => {
  const child = spawn(program, args, {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: `${process.env["PATH"]}:/usr/sbin`, HOME: options.cwd }
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => output = (output + text).slice(-20_000))
  }
  child.on("error", (cause) => output += String(cause))
  if (child.pid === undefined) throw new Error(`${program} did not start`)
  return {
    pid: child.pid,
    output: () => output,
    kill: async () => {
      const exited = once(child, "exit")
      if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await exited
    }
  }
}
