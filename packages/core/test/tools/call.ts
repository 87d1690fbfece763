/** Calls tools over the fixture, through the one way in that every call takes. */
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
import { fakeEquities, type FakeMarket, fakeMarket, now } from "./market.ts"

const untouched = () => Effect.die(new Error("a covered call reserves nothing"))

const UntouchedLedger = Layer.succeed(Ledger, {
  reserve: untouched,
  settle: untouched,
  release: untouched,
  renew: untouched,
  keepAlive: untouched,
  recall: untouched,
  books: untouched,
  usage: untouched,
  answersToday: untouched,
  changePlan: untouched
})

/** An answer that pays for the calls, so that they reserve nothing. */
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

/** The one way in to some tools. */
export const caller = <R>(toolbox: Layer.Layer<Toolbox, never, R>) =>
  ToolCaller.layer.pipe(
    Layer.provide(toolbox),
    Layer.provide(UntouchedLedger),
    Layer.provide(Plans.layer(defaultPlans))
  )

type FixturePorts = Layer.Success<FakeMarket["layer"]> | EquityMarkets | DerivedStore

/**
 * Runs over a fresh engine of these tools on the fixture, whose clock stands at `time`. A test names the tools that it
 * asks, so that a tool on what the fixture has not is nothing to it.
 */
export const engineOf = (toolbox: Layer.Layer<Toolbox, never, FixturePorts>) =>
<A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { market = fakeMarket(), time = now }: { readonly market?: FakeMarket; readonly time?: number } = {}
) =>
  Effect.andThen(TestClock.setTime(time), effect).pipe(
    // Fresh, or one engine within another would be the same.
    Effect.provide(Layer.fresh(
      caller(toolbox).pipe(
        Layer.provideMerge(DerivedStore.layer),
        Layer.provideMerge(market.layer),
        Layer.provide(Layer.succeed(EquityMarkets, fakeEquities))
      )
    ))
  )

/** The result of a call that succeeds. */
export const call = Effect.fnUntraced(function*<S extends ToolSpecification>(
  specification: S,
  args: ArgumentsOf<S>
) {
  const caller = yield* ToolCaller
  const { data } = yield* caller.call(specification, { principal, arguments: args, payer })
  return data
})

/** The failure of a call that fails, whatever its arguments are. */
export const failure = Effect.fnUntraced(function*({ name }: ToolSpecification, args: unknown) {
  const caller = yield* ToolCaller
  const { failure } = yield* caller.call({ principal, name, arguments: args, payer })
  return failure ?? (yield* Effect.die(new Error(`${name} answered`)))
})
