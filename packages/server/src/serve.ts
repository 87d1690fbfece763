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

/** Does work that can wait until the server serves, so that it does not delay the start. */
const settle = Effect.fnUntraced(function*(compiled: Compiled) {
  // Saves first, so that a process that is killed soon has also saved its cache.
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

/** The time after a stop signal at which the process ends, even with unfinished work. The whole stop has 10 s. */
const stopWithinMs = 9_000

/** Runs the server until a signal stops it. */
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
    // A server that a signal has stopped exits with 0.
    teardown: (exit, onExit) => {
      if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
      process.stderr.write(`${explain(Cause.squash(exit.cause))}\n`)
      onExit(1)
    }
  })
}
