import { NodeHttpServer } from "@effect/platform-node"
import {
  Administration,
  defaultPlans,
  DerivedStore,
  layerAgent,
  layerEngine,
  layerFibreRunner,
  pickTools,
  type Scope,
  Toolbox,
  tools
} from "@tapeline/core"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { SimMarket } from "@tapeline/market-sim"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { callPart, endPart, ScriptedModel, textPart, waitForever } from "@tapeline/testing/agent/ScriptedModel"
import { Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { HttpServer } from "effect/http"

const plans = {
  ...defaultPlans,
  poor: { monthly_credits: 7, keys: 2, requests_per_minute: 100_000, answers_per_day: 10 }
}

/**
 * Tools of every kind: about coins, Korea and the US, and tools that read, add and remove the account's own records.
 */
const selectedTools = pickTools(tools, [
  "get_price",
  "get_kr_stock",
  "get_kr_market",
  "get_us_stock",
  "get_positions",
  "set_position",
  "delete_position",
  "add_journal_note"
])

/** A model that calls a tool and then answers. If the question contains "wait for me", the answer never ends. */
const makeModel = () =>
  new ScriptedModel(({ step, turns }) => {
    if (JSON.stringify(turns).includes("wait for me")) return [textPart("One moment"), waitForever]
    return step === 1 ? [callPart("get_price", { coin: "BTC" }), endPart] : [textPart("BTC has a price."), endPart]
  })

const layerService = serve(layerRoutes({ corsOrigins: [] })).pipe(
  Layer.provideMerge(NodeHttpServer.layer(() => makeNodeServer(), { host: "127.0.0.1", port: 0 })),
  Layer.provide([
    Layer.succeed(AdminToken, Redacted.make("administration-token-of-this-test")),
    Layer.succeed(Readiness, { check: Effect.void }),
    Draining.layer
  ])
)

/** Starts the service in memory on a real socket, with an analyst. */
export const startService = async () => {
  const model = makeModel()
  const runtime = ManagedRuntime.make(layerService.pipe(
    Layer.provideMerge(layerAgent({ runner: layerFibreRunner }).pipe(Layer.provide(model.layer))),
    Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer(selectedTools), plans })),
    Layer.provideMerge(MemoryStores),
    Layer.provide(DerivedStore.layer),
    Layer.provide(SimMarket.layer({ seed: 1 })),
    Layer.provide(Logger.layer([]))
  ))
  const url = await runtime.runPromise(
    Effect.map(HttpServer.HttpServer, ({ address }) => HttpServer.formatAddress(address))
  )
  return {
    url,
    model,
    /** Creates an account with a key, and returns the key and administrative operations on the account. */
    createAccount: async (options: { readonly plan?: string; readonly scopes?: ReadonlyArray<Scope> } = {}) => {
      const { key, record } = await runtime.runPromise(createKeyedAccount(options))
      const administer = <A, E>(use: (administration: Administration["Service"]) => Effect.Effect<A, E>) =>
        runtime.runPromise(Effect.flatMap(Administration, use))
      return {
        key,
        rescope: (scopes: ReadonlyArray<Scope>) => administer(({ updateKey }) => updateKey(record.id, { scopes })),
        revoke: () => administer(({ revokeKey }) => revokeKey(record.id))
      }
    },
    dispose: () => runtime.dispose()
  }
}
