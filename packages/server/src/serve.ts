import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import type { DataDirLost } from "@tapeline/postgres"
import { Cause, Deferred, Effect, Exit, Layer } from "effect"
import { type CompileCacheResult, saveCache } from "./compileCache.ts"
import { explainError } from "./explainError.ts"
import { printWelcome } from "./firstStart.ts"
import { layerServer } from "./layers.ts"
import { warmUpMarket } from "./market/layerSimulatedMarket.ts"
import { readSettings } from "./settings.ts"
import { measurePhase, recordPhaseFromBootstrap, startPhases } from "./startPhases.ts"

/** Does the work of a server start that can wait until the server answers requests. */
const finishStart = Effect.fnUntraced(function*(compileCache: CompileCacheResult) {
  // The cache is saved first, in case the process is killed soon.
  yield* Effect.sync(() => saveCache(compileCache))
  if ("reason" in compileCache && compileCache.unsafe) {
    yield* Effect.logWarning(`The compile cache is disabled, so each start is slower: ${compileCache.reason}`)
  }
  yield* warmUpMarket
})

const makeProgram = (compileCache: CompileCacheResult) =>
  Effect.gen(function*() {
    const settings = yield* readSettings(process.env)
    yield* Effect.scoped(Effect.gen(function*() {
      const dataDirLost = yield* Deferred.make<never, DataDirLost>()
      const services = yield* Layer.build(
        layerServer(settings, (error) => Deferred.doneUnsafe(dataDirLost, Effect.fail(error)))
      )
      yield* Effect.provideContext(measurePhase("welcome", printWelcome(settings)), services)
      yield* Effect.provideContext(
        Effect.logDebug("Started").pipe(
          Effect.annotateLogs("parts_ms", startPhases()),
          Effect.andThen(finishStart(compileCache))
        ),
        services
      )
      yield* Deferred.await(dataDirLost)
    }))
  })

/** The time from a stop signal until the process ends, even with unfinished work, in ms. */
const forcedExitMs = 9_000

/** Runs the server until a signal stops it. */
export const serve = (compileCache: CompileCacheResult): void => {
  recordPhaseFromBootstrap("imports")
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      setTimeout(() => {
        process.stderr.write(
          `Stopped after ${forcedExitMs / 1000} s with unfinished work; it will not be charged twice.\n`
        )
        process.exit(1)
      }, forcedExitMs).unref()
    })
  }
  NodeRuntime.runMain(makeProgram(compileCache), {
    disableErrorReporting: true,
    // A server that was stopped by a signal exits with code 0.
    teardown: (exit, onExit) => {
      if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
      process.stderr.write(`${explainError(Cause.squash(exit.cause))}\n`)
      onExit(1)
    }
  })
}
