#!/usr/bin/env node
import { NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { welcome } from "./firstStart.ts"
import { layerServer } from "./layers.ts"
import { readSettings } from "./settings.ts"

/** What a person at the terminal needs to know of a start that failed: the message, without a stack. */
const explain = (error: unknown): string => {
  if (error !== null && typeof error === "object" && "cause" in error && error.cause instanceof Error) {
    const code = "code" in error.cause ? error.cause.code : undefined
    if (code === "EADDRINUSE") return "The port is taken: set PORT to another one, or stop what listens there."
    if (code === "EACCES") return "This user may not listen on that port: set PORT to one above 1023."
  }
  if (isSqlError(error)) {
    return `The database cannot be used: ${error.message}. Check DATABASE_URL, and that PostgreSQL listens there.`
  }
  if (error instanceof Error && "syscall" in error && "path" in error) {
    return `The data folder cannot be used: ${error.message}. Set TAPELINE_DATA_DIR to a folder that this user may write to.`
  }
  return error instanceof Error && error.message !== "" ? error.message : String(error)
}

const program = Effect.gen(function*() {
  const settings = yield* readSettings(process.env)
  yield* Effect.scoped(Effect.gen(function*() {
    const services = yield* Layer.build(layerServer(settings))
    yield* Effect.provideContext(welcome(settings), services)
    yield* Effect.never
  }))
})

/** So long after it was told to stop the process ends, whatever still runs: within the 10 s that it has. */
const stopWithinMs = 9_000

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    setTimeout(() => {
      process.stderr.write(
        `Stopped after ${stopWithinMs / 1000} s with work unfinished; nothing of it is charged twice.\n`
      )
      process.exit(1)
    }, stopWithinMs).unref()
  })
}

NodeRuntime.runMain(program, {
  disableErrorReporting: true,
  // A server that was told to stop, and did, has succeeded.
  teardown: (exit, onExit) => {
    if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
    process.stderr.write(`${explain(Cause.squash(exit.cause))}\n`)
    onExit(1)
  }
})
