import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Draining } from "@tapeline/http"
import type { DataDirLost } from "@tapeline/postgres"
import { Cause, Deferred, Effect, Exit, Layer } from "effect"
import { type CompileCacheResult, saveCache } from "./compileCache.ts"
import { explainError } from "./explainError.ts"
import { printWelcome } from "./firstStart.ts"
import { layerServer } from "./layers.ts"
import { warmUpMarket } from "./market/warmUp.ts"
import { readSettings, type Settings } from "./settings.ts"
import { measurePhase, recordPhaseFromBootstrap, startPhases } from "./startPhases.ts"

/** Does the work of a server start that can wait until the server answers requests. */
const finishStart = Effect.fnUntraced(function*(compileCache: CompileCacheResult) {
  // The cache is saved first, in case the process is killed soon.
  yield* Effect.sync(() => saveCache(compileCache))
  if ("reason" in compileCache && compileCache.unsafe) {
    yield* Effect.logWarning(`The compile cache is disabled, so each start is slower: ${compileCache.reason}`)
  }
})

const warmUp = ({ live }: Settings) =>
  Effect.andThen(
    warmUpMarket(live === undefined ? "simulated" : "live"),
    Effect.logDebug("The first answers are computed")
  )

/** The time from the end of the drain until the process ends, even with unfinished work, in ms. */
const forcedExitMs = 9_000

const forceExitLater = (): void => {
  setTimeout(() => {
    process.stderr.write(
      `Stopped after ${forcedExitMs / 1000} s with unfinished work; it will not be charged twice.\n`
    )
    process.exit(1)
  }, forcedExitMs).unref()
}

/**
 * The time after the first signal in which other signals are copies of it, in ms. If a supervisor signals the whole
 * process group, npm forwards its own copy to the server.
 */
const signalCopiesMs = 1_000

/** Distinguishes the first stop signal of the process from a second one. */
class StopSignals {
  readonly #second = Deferred.makeUnsafe<void>()
  #firstAt: number | undefined
  #isServing = false

  constructor() {
    const onSignal = () => {
      const now = performance.now()
      if (this.#firstAt === undefined) {
        this.#firstAt = now
        if (!this.#isServing) forceExitLater()
      } else if (now - this.#firstAt > signalCopiesMs) Deferred.doneUnsafe(this.#second, Effect.void)
    }
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal)
  }

  /**
   * Runs `serving`. When a signal interrupts it, the server is not ready for `drainMs`, but still answers requests. A
   * second signal, or a result of `ended`, skips the rest of that time.
   */
  drainAfter<A, E, R>(serving: Effect.Effect<A, E, R>, drainMs: number, ended: Effect.Effect<void>) {
    const wait = Effect.raceAllFirst([Effect.sleep(drainMs), Deferred.await(this.#second), ended])
    const drain = Effect.flatMap(Draining, ({ withdraw }) =>
      Effect.andThen(
        withdraw,
        Effect.andThen(Effect.logInfo(`The server stops in ${drainMs} ms. A second signal stops it at once`), wait)
      ))
    return Effect.sync(() => {
      this.#isServing = true
    }).pipe(
      Effect.andThen(serving),
      Effect.onInterrupt(() => Effect.ensuring(drainMs === 0 ? Effect.void : drain, Effect.sync(forceExitLater)))
    )
  }
}

const makeProgram = (compileCache: CompileCacheResult, signals: StopSignals) =>
  Effect.gen(function*() {
    const settings = yield* readSettings(process.env)
    yield* Effect.scoped(Effect.gen(function*() {
      const dataDirLost = yield* Deferred.make<never, DataDirLost>()
      const services = yield* Layer.build(
        layerServer(settings, (error) => Deferred.doneUnsafe(dataDirLost, Effect.fail(error)))
      )
      const serving = measurePhase("welcome", printWelcome(settings)).pipe(
        Effect.andThen(Effect.annotateLogs(Effect.logDebug("Started"), "parts_ms", startPhases())),
        Effect.andThen(finishStart(compileCache)),
        Effect.andThen(Effect.forkChild(warmUp(settings))),
        Effect.andThen(Deferred.await(dataDirLost))
      )
      yield* Effect.provideContext(
        signals.drainAfter(serving, settings.drainMs, Effect.ignore(Deferred.await(dataDirLost))),
        services
      )
    }))
  })

/** Runs the server until a signal stops it. */
export const serve = (compileCache: CompileCacheResult): void => {
  recordPhaseFromBootstrap("imports")
  NodeRuntime.runMain(makeProgram(compileCache, new StopSignals()), {
    disableErrorReporting: true,
    // A server that was stopped by a signal exits with code 0.
    teardown: (exit, onExit) => {
      if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
      process.stderr.write(`${explainError(Cause.squash(exit.cause))}\n`)
      onExit(1)
    }
  })
}
