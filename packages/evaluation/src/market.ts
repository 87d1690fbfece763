import { layerCharts } from "@tapeline/charts"
import {
  catalogueOf,
  DerivedStore,
  layerAgent,
  layerEngine,
  layerFibreRunner,
  Toolbox,
  ToolCaller,
  tools
} from "@tapeline/core"
import { layerNewsSearch } from "@tapeline/core/analysis"
import type { Call, ToolCall } from "@tapeline/core/engine"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import { layerSandbox } from "@tapeline/sandbox"
import { MemoryArtifactStore, MemoryStores } from "@tapeline/testing"
import { Clock, Context, Effect, Layer } from "effect"

/** When all questions are asked: a Friday, within a session of New York. */
const now = Date.parse("2026-11-20T15:33:22.517Z")

/** Time stands still for whoever reads it, so that every run sees the same market; waiting takes its time. */
export const layerStill: Layer.Layer<never> = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (running) => {
    const nanos = BigInt(now) * 1_000_000n
    return {
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.succeed(now),
      currentTimeNanosUnsafe: () => nanos,
      currentTimeNanos: Effect.succeed(nanos),
      monotonicTimeNanosUnsafe: () => running.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: running.monotonicTimeNanos,
      sleep: (duration) => running.sleep(duration)
    }
  })
)

/** A call that an answer made, with what came of it, whole. */
export interface Made {
  readonly name: string
  readonly arguments: unknown
  readonly ok: boolean
  readonly data: unknown
}

/** What was called, by account. */
export class Calls extends Context.Service<Calls, Map<number, Array<Made>>>()("@tapeline/evaluation/Calls") {
  static readonly layer = Layer.sync(Calls, () => new Map())
}

/** The way in to tools, writing down what comes of each call. */
const layerRecorded = Layer.effect(
  ToolCaller,
  Effect.gen(function*() {
    const { call } = yield* ToolCaller
    const calls = yield* Calls
    const record = (account: number, made: Made): void => {
      calls.set(account, [...(calls.get(account) ?? []), made])
    }
    const recorded = (request: ToolCall) => {
      const { arguments: args, name, principal } = request
      return call(request).pipe(
        Effect.tap(({ envelope, failure }) =>
          Effect.sync(() => {
            record(principal.account, { name, arguments: args, ok: failure === null, data: failure ?? envelope.data })
          })
        ),
        Effect.tapError((refusal) =>
          Effect.sync(() => {
            record(principal.account, { name, arguments: args, ok: false, data: { code: refusal._tag } })
          })
        )
      )
    }
    // An answer calls by name alone: of the two forms of a call nothing here uses the other.
    return ToolCaller.of({ call: recorded as Call })
  })
)

const engine = layerEngine({ toolbox: Toolbox.layer(tools) })

/** A whole engine with an analyst, over a simulated market that is the same in every run, all in memory. */
export const layerEngineOfQuestions = layerAgent({ runner: layerFibreRunner }).pipe(
  Layer.provideMerge(layerRecorded),
  Layer.provideMerge(engine),
  Layer.provideMerge(MemoryStores),
  Layer.provideMerge(Calls.layer),
  Layer.provide(Layer.merge(layerCharts, MemoryArtifactStore)),
  Layer.provide(
    Layer.mergeAll(
      DerivedStore.layer,
      layerSandbox({ sandboxes: 1 }),
      Layer.provide(layerNewsSearch, LocalEmbeddings)
    )
  ),
  Layer.provide(Layer.succeedContext(SimMarket.portsOf(makeWorld("evaluation"))))
)

export const catalogue = catalogueOf(tools.map(({ specification }) => specification))
