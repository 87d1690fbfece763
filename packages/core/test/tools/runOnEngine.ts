/** Calls tools on the fixture, through the same `ToolCaller` as every call. */
import { DerivedStore, EquityMarkets, type Toolbox } from "@tapeline/core"
import { layerToolCaller } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { fakeEquities, type FakeMarket, makeFakeMarket, now } from "./fakeMarket.ts"

type FixturePorts = Layer.Success<FakeMarket["layer"]> | EquityMarkets | DerivedStore

/**
 * Runs an effect on a new engine of these tools on the fixture, with the clock at `time`. Each test names its tools, so
 * that tools that need other ports are left out.
 */
export const makeRunOnEngine = (toolbox: Layer.Layer<Toolbox, never, FixturePorts>) =>
<A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { market = makeFakeMarket(), time = now }: { readonly market?: FakeMarket; readonly time?: number } = {}
) =>
  Effect.andThen(TestClock.setTime(time), effect).pipe(
    // Without `fresh`, an engine within another one would be the same engine.
    Effect.provide(Layer.fresh(
      layerToolCaller(toolbox).pipe(
        Layer.provideMerge(DerivedStore.layer),
        Layer.provideMerge(market.layer),
        Layer.provide(Layer.succeed(EquityMarkets, fakeEquities))
      )
    ))
  )
