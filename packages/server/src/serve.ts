import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import type { DataDirLost } from "@tapeline/postgres"
import { Cause, Deferred, Effect, Exit, Layer } from "effect"
import { type Compiled, saveCompiled } from "./compileCache.ts"
import { explain } from "./explain.ts"
import { welcome } from "./firstStart.ts"
import { layerServer } from "./layers.ts"
import { firstReading } from "./market/layerSimulatedMarket.ts"
import { readSettings } from "./settings.ts"
import { begun, partsOfStart, timed } from "./startTimes.ts"

/** What a process does for itself once it serves, so that it holds up no start. */
const settle = Effect.fnUntraced(function*(compiled: Compiled) {
  // Before others have a turn: a process that is killed soon has kept them too.
  yield* Effect.sync(() => saveCompiled(compiled))
  if ("reason" in compiled && compiled.unsafe) {
    yield* Effect.logWarning(`Compiled sources are not kept, and each start is slower: ${compiled.reason}`)
  }
  yield* firstReading
})

const program = (compiled: Compiled) =>
  Effect.gen(function*() {
    const settings = yield* readSettings(process.env)
    yield* Effect.scoped(Effect.gen(function*() {
      const lost = yield* Deferred.make<never, DataDirLost>()
      const services = yield* Layer.build(
        layerServer(settings, (error) => Deferred.doneUnsafe(lost, Effect.fail(error)))
      )
      yield* Effect.provideContext(timed("welcome", welcome(settings)), services)
      yield* Effect.provideContext(
        Effect.logDebug("Started").pipe(
          Effect.annotateLogs("parts_ms", partsOfStart()),
          Effect.andThen(settle(compiled))
        ),
        services
      )
      yield* Deferred.await(lost)
    }))
  })

/** So long after it was told to stop the process ends, whatever still runs: within the 10 s that it has. */
const stopWithinMs = 9_000

/** Runs the server until it is told to stop. */
export const serve = (compiled: Compiled): void => {
  begun("imports")
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
  NodeRuntime.runMain(program(compiled), {
    disableErrorReporting: true,
    // A server that was told to stop, and did, has succeeded.
    teardown: (exit, onExit) => {
      if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
      process.stderr.write(`${explain(Cause.squash(exit.cause))}\n`)
      onExit(1)
    }
  })
}
