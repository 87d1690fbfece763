// Runs the engine inside a Node program without HTTP, with an embedded database in memory and a simulated market. To
// keep accounts and charges, replace the stores by `layerPglite({ dataDir })` or `layerPostgres({ url })`.
import {
  Administration,
  DerivedStore,
  getPrice,
  layerEngine,
  type Principal,
  Toolbox,
  ToolCaller,
  tools
} from "@tapeline/core"
import { SimMarket } from "@tapeline/market-sim"
import { layerMigrations, layerPglite, PgStores } from "@tapeline/postgres"
import { Effect, Layer, ManagedRuntime } from "effect"

const stores = PgStores.pipe(Layer.provide(layerMigrations), Layer.provide(layerPglite({ memory: true })))
const market = DerivedStore.layer.pipe(Layer.provideMerge(SimMarket.layer({ seed: 1 })))
const engine = layerEngine({ toolbox: Toolbox.layer(tools) }).pipe(Layer.provideMerge(Layer.mergeAll(stores, market)))

const runtime = ManagedRuntime.make(engine)

const program = Effect.gen(function*() {
  // A real program authenticates its users, and loads the account from its own table of users.
  const administration = yield* Administration
  const account = yield* administration.createAccount({ name: "my user", plan: "free" })
  const { record } = yield* administration.issueKey({ account: account.id, name: "embedded", scopes: ["read:market"] })
  const principal: Principal = {
    account: account.id,
    actor: { _tag: "Key", key: record.id },
    plan: account.plan,
    scopes: record.scopes
  }

  // Arguments and result have the types of the tool, so a missing `coin` or an unknown field does not compile.
  const caller = yield* ToolCaller
  const { credits_left, data } = yield* caller.call(getPrice, { principal, arguments: { coin: "BTC" } })
  console.log(`BTC ${data.price.toFixed(2)} USD (${data.source}), ${credits_left} credits left`)

  // A failed call is free and fails with `CallFailed`; a call by name checks all arguments.
  const failed = yield* Effect.flip(caller.call(getPrice, { principal, arguments: { coin: "NOSUCH" } }))
  console.log(failed._tag, "code" in failed ? `${failed.code}: ${failed.message}` : "")
  const callError = yield* Effect.flip(
    caller.call({ principal, name: "get_price", arguments: { coin: "BTC", tpyo: 1 } })
  )
  console.log(callError._tag, "issues" in callError ? JSON.stringify(callError.issues) : "")
})

await runtime.runPromise(program)
await runtime.dispose()
