/** Calls tools on the fixture, through the same `ToolCaller` as every call. */
import {
  allScopes,
  type ArgumentsOf,
  defaultPlans,
  DerivedStore,
  EquityMarkets,
  Ledger,
  type Payer,
  Plans,
  type Principal,
  Toolbox,
  ToolCaller,
  type ToolSpecification
} from "@tapeline/core"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { fakeEquities, type FakeMarket, makeFakeMarket, now } from "./fakeMarket.ts"

const failUntouched = () => Effect.die(new Error("a covered call reserves nothing"))

const UntouchedLedger = Layer.succeed(Ledger, {
  reserve: failUntouched,
  settle: failUntouched,
  release: failUntouched,
  renew: failUntouched,
  keepAlive: failUntouched,
  idempotencyState: failUntouched,
  balance: failUntouched,
  usage: failUntouched,
  answersToday: failUntouched,
  changePlan: failUntouched
})

/** The answer that pays for the calls, so that they reserve nothing. */
export const payer: Payer = {
  reservation: {
    entry: 1,
    account: 1,
    month: "2026-11",
    tool: "agent.answer",
    credits: 40,
    origin: 1,
    reservedAt: 0,
    expiresAt: 1
  },
  call: "1"
}

const principal: Principal = { account: 1, actor: { _tag: "Key", key: 1 }, plan: "pro", scopes: allScopes }

/** A `ToolCaller` for some tools. */
export const layerToolCaller = <R>(toolbox: Layer.Layer<Toolbox, never, R>) =>
  ToolCaller.layer.pipe(
    Layer.provide(toolbox),
    Layer.provide(UntouchedLedger),
    Layer.provide(Plans.layer(defaultPlans))
  )

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

/** Returns the result of a call that must succeed. */
export const callTool = Effect.fnUntraced(function*<S extends ToolSpecification>(
  specification: S,
  args: ArgumentsOf<S>
) {
  const caller = yield* ToolCaller
  const { data } = yield* caller.call(specification, { principal, arguments: args, payer })
  return data
})

/** Returns the failure of a call that must fail. The arguments are not checked at compile time. */
export const callAndFail = Effect.fnUntraced(function*({ name }: ToolSpecification, args: unknown) {
  const caller = yield* ToolCaller
  const { failure } = yield* caller.call({ principal, name, arguments: args, payer })
  return failure ?? (yield* Effect.die(new Error(`${name} answered`)))
})
