import { Effect, Schema, type Scope } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { nodeArguments } from "./nodeArguments.ts"

/** The server's program as it is written. */
export const sources = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const readyWithinMs = 30_000

/** How a process ended: the signal that ended it, or the code that it ended with. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The process ended, or said nothing for too long, before it was ready. */
export class StartFailed extends Schema.TaggedError<StartFailed>()("StartFailed", {
  code: Schema.NullOr(Schema.Int),
  stdout: Schema.String,
  stderr: Schema.String
}) {
  override get message(): string {
    return `The server did not start (exit code ${this.code}).\n${this.stdout}\n${this.stderr}`
  }
}

/** A server in a process of its own. */
export interface Server {
  readonly address: string
  /** The key of the demo account, at the first start on an empty embedded database. */
  readonly demoKey: string | undefined
  /** The link that signs the demo account in, at the same start. */
  readonly link: string | undefined
  /** The line that the banner offers to paste. */
  readonly curl: string | undefined
  /** What it has written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  readonly ended: Effect.Effect<Ended>
  /** SIGKILL, and waits for the end. */
  readonly kill: Effect.Effect<Ended>
}

/** A folder that goes with the scope. */
export const temporaryFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapeline-server-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

const spawnServer = (environment: Readonly<Record<string, string>>, program: string) =>
  spawn(process.execPath, [...nodeArguments, program], {
    cwd: tmpdir(),
    // Nothing of this process's own environment, so that no setting of it is the server's.
    env: { PATH: process.env["PATH"] ?? "", PORT: "0", NODE_COMPILE_CACHE: inject("compileCache"), ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })

/**
 * Starts a server and waits until it listens; it is killed with the scope. Its program was put together, which computes
 * a third less at each start, unless another is named.
 */
export const startServer = (
  environment: Readonly<Record<string, string>>,
  program: string = inject("serverProgram")
): Effect.Effect<Server, StartFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const output = { stdout: "", stderr: "" }
    const { child, ended } = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawnServer(environment, program)
        const ended = new Promise<Ended>((resolve) => child.once("close", (code, signal) => resolve({ code, signal })))
        for (const name of ["stdout", "stderr"] as const) {
          child[name].setEncoding("utf8").on("data", (text: string) => {
            output[name] += text
          })
        }
        return { child, ended }
      }),
      ({ child, ended }) =>
        Effect.promise(() => {
          child.kill("SIGKILL")
          return ended
        })
    )
    const address = yield* Effect.callback<string, StartFailed>((resume) => {
      const fail = (code: number | null) => resume(Effect.fail(new StartFailed({ code, ...output })))
      const timer = setTimeout(() => fail(null), readyWithinMs)
      const look = () => {
        const found = /^Tapeline listens on (\S+)/m.exec(output.stdout)?.[1]
        if (found !== undefined) resume(Effect.succeed(found))
      }
      child.stdout.on("data", look)
      void ended.then(({ code }) => fail(code))
      return Effect.sync(() => {
        clearTimeout(timer)
        child.stdout.off("data", look)
      })
    })
    const wait = Effect.promise(() => ended)
    return {
      address,
      demoKey: /^ {2}(tl_live_\w+)$/m.exec(output.stdout)?.[1],
      link: /^ {2}(http\S+#tl_link_\w+)$/m.exec(output.stdout)?.[1],
      curl: /^ {2}(curl .+)$/m.exec(output.stdout)?.[1],
      stdout: () => output.stdout,
      stderr: () => output.stderr,
      signal: (signal) => void child.kill(signal),
      ended: wait,
      kill: Effect.andThen(Effect.sync(() => child.kill("SIGKILL")), wait)
    }
  })
