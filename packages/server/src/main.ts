#!/usr/bin/env node
import "./oldNode.ts"
import { NodeRuntime } from "@effect/platform-node"
import type { DataDirLost } from "@tapeline/postgres"
import { Cause, Deferred, Effect, Exit, Layer } from "effect"
import { explain } from "./explain.ts"
import { welcome } from "./firstStart.ts"
import { layerServer } from "./layers.ts"
import { readSettings } from "./settings.ts"

const program = Effect.gen(function*() {
  const settings = yield* readSettings(process.env)
  yield* Effect.scoped(Effect.gen(function*() {
    const lost = yield* Deferred.make<never, DataDirLost>()
    const services = yield* Layer.build(
      layerServer(settings, (error) => Deferred.doneUnsafe(lost, Effect.fail(error)))
    )
    yield* Effect.provideContext(welcome(settings), services)
    yield* Deferred.await(lost)
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
