import {
  allScopes,
  defaultPlans,
  DerivedStore,
  Ledger,
  type MarketPorts,
  type Payer,
  Plans,
  type Principal,
  Toolbox,
  ToolCaller,
  tools
} from "@tapeline/core"
import { Effect, Layer } from "effect"

const untouched = () => Effect.die(new Error("a covered call reserves nothing"))

/** The tools' one way in, without what runs beside calls: the test sets the clock half a century on. */
export const engineOver = (market: Layer.Layer<MarketPorts>) =>
  ToolCaller.layer.pipe(
    Layer.provide(Toolbox.layer(tools)),
    Layer.provideMerge(DerivedStore.layer),
    Layer.provideMerge(market),
    Layer.provide(Layer.succeed(Ledger, {
      reserve: untouched,
      settle: untouched,
      release: untouched,
      renew: untouched,
      keepAlive: untouched,
      recall: untouched,
      books: untouched,
      answersToday: untouched,
      changePlan: untouched
    })),
    Layer.provide(Plans.layer(defaultPlans))
  )

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

export const principal: Principal = { account: 1, actor: { _tag: "Key", key: 1 }, plan: "pro", scopes: allScopes }
