import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import type { SuiteOptions } from "vitest"

declare module "vitest" {
  interface TaskMeta {
    /**
     * The unmet requirement of a skipped test suite, and how to meet the requirement, for the summary of a test run.
     */
    needs?: string
  }
}

const isCi = (): boolean => (process.env["CI"] ?? "") !== ""

/** Returns the first file with one of the names in `PATH` or a system folder, or null if not found. */
export const findProgram = (...names: ReadonlyArray<string>): string | null => {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin"]
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file)) ?? null
}

/** Returns suite options that skip the suite unless a requirement is met, such as "root, to mount a file system". */
export const skipUnless = (need: string, isMet: boolean): SuiteOptions =>
  isMet ? {} : { skip: true, meta: { needs: need } }

/**
 * Returns suite options that skip the suite if a program is missing. `program` describes how to get the program:
 * "chromium: install it, or set TEST_CHROMIUM".
 * Throws if `CI` is set and the program is missing, because a run in CI must not skip tests.
 */
export const skipWithoutProgram = (program: string, isFound: boolean): SuiteOptions => {
  if (!isFound && isCi()) throw new Error(`Missing ${program}`)
  return skipUnless(program, isFound)
}

/** The end of a process: the signal that ended the process, or the exit code. */
export interface ProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

interface ProcessOutput {
  readonly stdout: string
  readonly stderr: string
}

/** A program ended before its output matched the pattern of its start, or did not start in time. */
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
  /** The first match of the pattern in the output, which rejects with `StartFailed` if the program does not start. */
  readonly started: Promise<RegExpExecArray>
  readonly ended: Promise<ProcessExit>
  readonly end: (signal: NodeJS.Signals) => Promise<ProcessExit>
}

/**
 * Starts a program of Node, without environment variables of the current process except PATH. A program whose output
 * does not match `pattern` in time is killed.
 */
export const startProgram = ({ args, cwd, environment = {}, hasChannel = false, pattern, timeoutMs = 120_000 }: {
  /** Flags of Node, the file, and arguments. */
  readonly args: ReadonlyArray<string>
  readonly cwd?: string
  readonly environment?: NodeJS.ProcessEnv
  /** Whether the processes can send messages to each other. */
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
  const ended = new Promise<ProcessExit>((resolve) => child.once("close", (code, signal) => resolve({ code, signal })))
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
    void ended.then((exit) => {
      clearTimeout(timer)
      reject(new StartFailed(exit, output))
    })
  })
  // A caller that ends the program does not wait for its start.
  started.catch(() => undefined)
  return {
    child,
    output,
    started,
    ended,
    end: (signal) => {
      child.kill(signal)
      return ended
    }
  }
}
