import { type ProcessExit, type StartFailed, startProgram } from "@tapeline/testing/programs"
import { Effect, type Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { nodeArguments } from "./nodeArguments.ts"

export const mainSource = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

export interface ServerProcess {
  readonly address: string
  /** The key of the demo account, present at the first start on an empty embedded database. */
  readonly demoKey: string | undefined
  /** The link that signs in to the demo account, present at the first start on an empty embedded database. */
  readonly link: string | undefined
  readonly curl: string | undefined
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  readonly awaitExit: Effect.Effect<ProcessExit>
  readonly kill: Effect.Effect<ProcessExit>
}

export const temporaryFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapeline-server-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

/**
 * Starts a server, waits until the server listens, and kills it when the scope ends. The bundled default program takes
 * a third less processor time at each start.
 */
export const startServer = (
  environment: Readonly<Record<string, string>>,
  program: string = inject("serverProgram")
): Effect.Effect<ServerProcess, StartFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const { child, end, exit, output, started } = yield* Effect.acquireRelease(
      Effect.sync(() =>
        startProgram({
          args: [...nodeArguments, program],
          cwd: tmpdir(),
          environment: { PORT: "0", NODE_COMPILE_CACHE: inject("compileCache"), ...environment },
          pattern: /^Tapeline listens on (\S+)/m,
          timeoutMs: 30_000
        })
      ),
      ({ end }) => Effect.promise(() => end("SIGKILL"))
    )
    const [, address] = yield* Effect.tryPromise({
      try: () => started,
      // The cast is safe, because the effect `started` fails with no other error.
      catch: (error) => error as StartFailed
    })
    return {
      address: address!,
      demoKey: /^ {2}(tl_live_\w+)$/m.exec(output.stdout)?.[1],
      link: /^ {2}(http\S+#tl_link_\w+)$/m.exec(output.stdout)?.[1],
      curl: /^ {2}(curl .+)$/m.exec(output.stdout)?.[1],
      stdout: () => output.stdout,
      stderr: () => output.stderr,
      signal: (signal) => void child.kill(signal),
      awaitExit: Effect.promise(() => exit),
      kill: Effect.promise(() => end("SIGKILL"))
    }
  })
