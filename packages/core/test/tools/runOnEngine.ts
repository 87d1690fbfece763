import { DerivedStore, EquityMarkets, type Toolbox } from "@tapeline/core"
import { layerToolCaller } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { fakeEquities, type FakeMarket, makeFakeMarket, now } from "./fakeMarket.ts"

type FixturePorts = Layer.Success<FakeMarket["layer"]> | EquityMarkets | DerivedStore

/** Runs an effect with the clock at `time`, on a new engine with the given tools and the test market. */
export const makeRunOnEngine = (toolbox: Layer.Layer<Toolbox, never, FixturePorts>) =>
<A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { market = makeFakeMarket(), time = now }: { readonly market?: FakeMarket; readonly time?: number } = {}
) =>
  Effect.andThen(TestClock.setTime(time), effect).pipe(
    // Without `Layer.fresh`, an engine inside another engine would reuse the outer engine.
    Effect.provide(Layer.fresh(
      layerToolCaller(toolbox).pipe(
        Layer.provideMerge(DerivedStore.layer),
        Layer.provideMerge(market.layer),
        Layer.provide(Layer.succeed(EquityMarkets, fakeEquities))
      )
    ))
  )
