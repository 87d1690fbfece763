import { layerCharts } from "@tapeline/charts"
import {
  DerivedStore,
  layerAgent,
  layerEngine,
  layerFibreRunner,
  makeCatalogue,
  mapClock,
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

/** A Friday during New York's trading session, at which all evaluations take place. */
const fixedTime = Date.parse("2026-11-20T15:33:22.517Z")

/** A clock whose time of day never changes, so that every run sees an identical market; sleeping takes real time. */
export const layerFixedClock: Layer.Layer<never> = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (clock) => mapClock(clock, () => fixedTime))
)

export interface RecordedCall {
  readonly name: string
  readonly arguments: unknown
  readonly ok: boolean
  readonly data: unknown
}

export class Calls extends Context.Service<Calls, Map<number, Array<RecordedCall>>>()("@tapeline/evaluation/Calls") {
  static readonly layer = Layer.sync(Calls, () => new Map())
}

const layerRecordingCaller = Layer.effect(
  ToolCaller,
  Effect.gen(function*() {
    const { call } = yield* ToolCaller
    const calls = yield* Calls
    const record = (account: number, recordedCall: RecordedCall): void => {
      calls.set(account, [...(calls.get(account) ?? []), recordedCall])
    }
    const callAndRecord = (request: ToolCall) => {
      const { arguments: args, name, principal } = request
      return call(request).pipe(
        Effect.tap(({ envelope, failure }) =>
          Effect.sync(() => {
            record(principal.account, { name, arguments: args, ok: failure === null, data: failure ?? envelope.data })
          })
        ),
        Effect.tapError((error) =>
          Effect.sync(() => {
            record(principal.account, { name, arguments: args, ok: false, data: { code: error._tag } })
          })
        )
      )
    }
    // The cast is safe, because answers call tools by name, and never use the other overload of `call`.
    return ToolCaller.of({ call: callAndRecord as Call })
  })
)

const engine = layerEngine({ toolbox: Toolbox.layer(tools) })

/** A complete in-memory engine with an analyst and a simulated market. The market is identical in every run. */
export const layerEvaluationEngine = layerAgent({ runner: layerFibreRunner }).pipe(
  Layer.provideMerge(layerRecordingCaller),
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
  Layer.provide(Layer.succeedContext(SimMarket.makePorts(makeWorld("evaluation"))))
)

export const catalogue = makeCatalogue(tools.map(({ specification }) => specification))
