import {
  CodeSandbox,
  type HostError,
  type SandboxError,
  SandboxUnavailable,
  type Script,
  ScriptError,
  scriptLimits
} from "@tapeline/core/analysis"
import { Effect, Layer, Schema } from "effect"
import { availableParallelism } from "node:os"
import { FairScheduler } from "./FairScheduler.ts"
import type { WorkerData } from "./protocol.ts"
import { engine, quantSources, threadModule } from "./resources.ts"
import { runScript } from "./runScript.ts"
import { SandboxThread } from "./SandboxThread.ts"

export interface SandboxOptions {
  /**
   * The maximum number of concurrent scripts. One owner can run at most half of the maximum number of scripts. The
   * default maximum is the number of CPU cores minus 1, but at least 1 and at most 4.
   */
  readonly sandboxes?: number | undefined
  /** The maximum number of waiting scripts; 32 by default. One owner can use at most a quarter of the queue. */
  readonly maxWaiting?: number
  /**
   * The memory limit of a script in MB, from 24 to 1024; 64 by default. The thread of the script uses about 40 MB in
   * addition to the limit.
   */
  readonly memoryMb?: number
}

/** Implements `CodeSandbox` with a new thread and a new QuickJS machine for each script. */
export const layerSandbox = (options: SandboxOptions = {}): Layer.Layer<never> =>
  Layer.effect(CodeSandbox, makeSandbox(options))

const isScriptError = Schema.is(ScriptError)

const makeSandbox = Effect.fnUntraced(function*(options: SandboxOptions) {
  const maxRunning = options.sandboxes ?? Math.min(4, Math.max(1, availableParallelism() - 1))
  const { maxWaiting = 32, memoryMb = 64 } = options
  if (!(memoryMb >= 24 && memoryMb <= 1024)) {
    return yield* Effect.die(new RangeError(`memoryMb must be from 24 to 1024, got ${memoryMb}`))
  }
  const scheduler = new FairScheduler({
    maxRunning,
    maxRunningPerOwner: Math.ceil(maxRunning / 2),
    maxWaiting,
    maxWaitingPerOwner: Math.ceil(maxWaiting / 4),
    contendedMs: 2_000,
    budgetMs: 30_000
  })
  const threads = new Set<SandboxThread>()
  let isClosed = false
  yield* Effect.addFinalizer(() => {
    isClosed = true
    return Effect.forEach(threads, ({ end }) => end, { concurrency: "unbounded", discard: true })
  })
  const startThread = (module: URL, data: WorkerData) =>
    Effect.tap(SandboxThread.start(module, data), (thread) => Effect.sync(() => threads.add(thread)))
  const endThread = (thread: SandboxThread) => Effect.ensuring(thread.end, Effect.sync(() => threads.delete(thread)))
  const sandboxEnded = new SandboxUnavailable({ cause: new Error("the sandbox has ended") })

  const makeWorkerData = Effect.fnUntraced(function*<E extends HostError>({ code, functions, inputs }: Script<E>) {
    return {
      engine: yield* engine,
      code,
      inputs: JSON.stringify(inputs),
      functions: Object.entries(functions).map(([name, { maxCalls }]) => ({ name, atMost: maxCalls })),
      // Only a script that mentions `quant` gets the library, because loading the library takes longer than most
      // scripts run.
      quant: code.includes("quant") ? yield* quantSources : undefined,
      memoryMb,
      limits: scriptLimits
    }
  })

  const runInThread = <E extends HostError>(
    script: Script<E>,
    beginWork: Effect.Effect<void>
  ): Effect.Effect<Schema.Json, SandboxError | E> =>
    Effect.flatMap(
      Effect.mapError(Effect.all([threadModule, makeWorkerData(script)]), (cause) => new SandboxUnavailable({ cause })),
      ([module, data]) =>
        isClosed
          ? sandboxEnded
          : Effect.acquireUseRelease(
            startThread(module, data),
            (thread) => runScript(thread, script, memoryMb, beginWork),
            endThread
          )
    ).pipe(Effect.mapError((error) => isClosed && isScriptError(error) ? sandboxEnded : error))

  return CodeSandbox.of({
    run: (script) =>
      scheduler.run(script.owner, script.maxWaitMs, (beginWork) => runInThread(script, beginWork)).pipe(
        Effect.withSpan("CodeSandbox.run", {}, { captureStackTrace: false })
      )
  })
})
