import { assert, describe, it } from "@effect/vitest"
import { skipUnless } from "@tapeline/testing/programs"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { inject } from "vitest"
import { nodeArguments } from "./support/nodeArguments.ts"
import { sendRequest } from "./support/service.ts"
import { makePglite } from "./support/testDatabases.ts"

/** Starts a Node process with redirected output streams, and kills the process when the scope ends. */
const run = (argv: ReadonlyArray<string>, redirections: string, environment: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(
        "sh",
        ["-c", `exec "$@" ${redirections}`, "sh", process.execPath, ...nodeArguments, ...argv],
        {
          cwd: tmpdir(),
          env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: inject("compileCache"), ...environment },
          stdio: ["ignore", "pipe", "pipe"]
        }
      )
      return { child, exitCode: once(child, "close") }
    }),
    ({ child, exitCode }) =>
      Effect.promise(() => {
        child.kill("SIGKILL")
        return exitCode
      })
  )

const lives = Effect.fnUntraced(function*(redirections: string) {
  const database = yield* makePglite()
  const server = yield* run([inject("serverProgram")], redirections, {
    ...database.environment,
    PORT: "0",
    TAPELINE_LOG_LEVEL: "Debug"
  })
  server.child.stderr.destroy()
  const address = yield* Effect.callback<string, Error>((resume) => {
    const outputParts: Array<string> = []
    server.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      outputParts.push(text)
      const address = /^Tapeline listens on (\S+)/m.exec(outputParts.join(""))?.[1]
      if (address !== undefined) resume(Effect.succeed(address))
    })
    server.child.once("close", (code) => resume(Effect.fail(new Error(`It ended with ${code}`))))
  })
  server.child.stdout.destroy()
  for (const path of ["/readyz", "/healthz"]) {
    assert.strictEqual((yield* sendRequest({ address }, "GET", path)).status, 200)
  }
  server.child.kill("SIGTERM")
  assert.deepStrictEqual(
    yield* Effect.promise(() => server.exitCode),
    [0, null]
  )
})

describe("Output that cannot be written", () => {
  it.live("does not stop the server: a pipe without a reader", () => lives(""))

  it.live(
    "does not stop the server: a log on a full disk",
    () => lives("2>/dev/full"),
    skipUnless("Linux, for /dev/full", existsSync("/dev/full"))
  )
})
