import {
  catalogueOf,
  defaultPlans,
  DerivedStore,
  Ledger,
  type Payer,
  Plans,
  type Principal,
  type Scope,
  Toolbox,
  ToolCaller,
  tools
} from "@tapeline/core"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { layerSandbox } from "@tapeline/sandbox"
import { Effect, Layer } from "effect"

/** When all questions are asked: a Friday, within a session of New York. */
export const now = Date.parse("2026-11-20T15:33:22.517Z")

const untouched = () => Effect.die(new Error("a covered call reserves nothing"))

/** All tools over a simulated market that is the same in every run. */
export const layerTools = ToolCaller.layer.pipe(
  Layer.provide(Toolbox.layer(tools)),
  Layer.provide(Layer.merge(DerivedStore.layer, layerSandbox({ sandboxes: 1 }))),
  Layer.provide(Layer.succeedContext(SimMarket.portsOf(makeWorld("evaluation")))),
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

/** An answer that pays for the calls. */
export const payer: Payer = {
  reservation: {
    entry: 1,
    account: 1,
    month: "2026-11",
    tool: "agent.answer",
    credits: 20,
    origin: 1,
    reservedAt: 0,
    expiresAt: 1
  },
  call: "1"
}

export const principalOf = (scopes: ReadonlyArray<Scope>): Principal => ({
  account: 1,
  actor: { _tag: "Key", key: 1 },
  plan: "pro",
  scopes
})

export const catalogue = catalogueOf(tools.map(({ specification }) => specification))
