import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import type { SuiteOptions } from "vitest"

declare module "vitest" {
  interface TaskMeta {
    /**
     * The missing requirement of a skipped test suite, and how to meet the requirement. The summary of the test run
     * contains the requirement.
     */
    requirement?: string
  }
}

const isCi = (): boolean => (process.env["CI"] ?? "") !== ""

/** Searches `PATH` and the system folders for a file with one of the given names. Returns null if no file is found. */
export const findProgram = (...names: ReadonlyArray<string>): string | null => {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin"]
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file)) ?? null
}

/**
 * Returns suite options that skip the suite unless a requirement is met. An example of a requirement is "root, to mount
 * a file system".
 */
export const skipUnless = (need: string, isMet: boolean): SuiteOptions =>
  isMet ? {} : { skip: true, meta: { requirement: need } }

/**
 * Returns suite options that skip the suite if a program is missing. `program` is the name and the installation hint,
 * such as "chromium: install it, or set TEST_CHROMIUM". Throws if `CI` is set and the program is missing, because a run
 * in CI must not skip tests.
 */
export const skipWithoutProgram = (program: string, isFound: boolean): SuiteOptions => {
  if (!isFound && isCi()) throw new Error(`Missing ${program}`)
  return skipUnless(program, isFound)
}

/** Returns suite options that skip the suite if openssl is missing, for suites that create certificates. */
export const skipWithoutOpenssl = (): SuiteOptions =>
  skipWithoutProgram("openssl: install it", findProgram("openssl") !== null)

/** The end of a process: the signal that ended the process, or the exit code. */
export interface ProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

interface ProcessOutput {
  readonly stdout: string
  readonly stderr: string
}

/** A program ended, or its time limit passed, before its output matched the start pattern. */
export class StartFailed extends Error {
  readonly exit: ProcessExit
  readonly output: ProcessOutput

  constructor(exit: ProcessExit, output: ProcessOutput) {
    super(`The program did not start (${exit.signal ?? exit.code}).\n${output.stdout}\n${output.stderr}`)
    this.exit = exit
    this.output = output
  }
}

/** A program of Node in a separate process. */
export interface StartedProgram {
  readonly child: ChildProcess
  readonly output: ProcessOutput
  /**
   * The first match of the start pattern in the output. If the program does not start, the promise rejects with
   * `StartFailed`.
   */
  readonly started: Promise<RegExpExecArray>
  readonly exit: Promise<ProcessExit>
  readonly end: (signal: NodeJS.Signals) => Promise<ProcessExit>
}

/**
 * Starts a Node program. The program inherits no environment variable except PATH. If the output of the program does
 * not match `pattern` in time, the program is killed.
 */
export const startProgram = ({ args, cwd, environment = {}, hasChannel = false, pattern, timeoutMs = 120_000 }: {
  /** The arguments of Node: its flags, the file to run, and the arguments of the program. */
  readonly args: ReadonlyArray<string>
  readonly cwd?: string
  readonly environment?: NodeJS.ProcessEnv
  /** Whether the current process and the started program can send messages to each other. */
  readonly hasChannel?: boolean
  readonly pattern: RegExp
  readonly timeoutMs?: number
}): StartedProgram => {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "pipe", "pipe", ...(hasChannel ? ["ipc" as const] : [])]
  })
  const output = { stdout: "", stderr: "" }
  const exit = new Promise<ProcessExit>((resolve) => child.once("close", (code, signal) => resolve({ code, signal })))
  const started = new Promise<RegExpExecArray>((resolve, reject) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs)
    let match: RegExpExecArray | null = null
    for (const name of ["stdout", "stderr"] as const) {
      child[name]!.setEncoding("utf8").on("data", (text: string) => {
        output[name] += text
        match ??= pattern.exec(output[name])
        if (match === null) return
        clearTimeout(timer)
        resolve(match)
      })
    }
    void exit.then((exit) => {
      clearTimeout(timer)
      reject(new StartFailed(exit, output))
    })
  })
  // A caller that ends the program early need not handle the rejection of `started`.
  started.catch(() => undefined)
  return {
    child,
    output,
    started,
    exit,
    end: (signal) => {
      child.kill(signal)
      return exit
    }
  }
}
