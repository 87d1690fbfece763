/** Runs the complete service on memory stores, and prints the API keys as JSON and the URL. */
import { NodeHttpServer } from "@effect/platform-node"
import { DerivedStore, layerEngine, Toolbox, tools } from "@tapeline/core"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { layerSimulatedMarket } from "@tapeline/server"
import { createKeyedAccount, MemoryState, MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { plans } from "../load/settings.ts"

const accounts = 64

const market = DerivedStore.layer.pipe(Layer.provideMerge(layerSimulatedMarket(1)))
const engine = layerEngine({ toolbox: Toolbox.layer(tools), plans }).pipe(
  Layer.provideMerge(Layer.merge(MemoryStores, market))
)

/**
 * Removes ended entries from the in-memory stores. A database would store ended entries on disk, and not in the heap.
 */
const removeEndedEntries = Layer.effectDiscard(Effect.gen(function*() {
  const { entries } = yield* MemoryState
  const removeEnded = Effect.sync(() => {
    for (const [id, { state }] of entries) if (state !== "reserved") entries.delete(id)
  })
  yield* Effect.forkScoped(Effect.repeat(removeEnded, Schedule.spaced("1 second")))
}))

const printKeysAndAddress = Layer.effectDiscard(Effect.gen(function*() {
  const createdAccounts = yield* Effect.replicateEffect(
    createKeyedAccount({ plan: "bench", scopes: ["read:market"] }),
    accounts
  )
  console.log(`keys ${JSON.stringify(createdAccounts.map(({ key }) => key))}`)
  console.log(`listens on ${HttpServer.formatAddress((yield* HttpServer.HttpServer).address)}`)
}))

const service = Layer.mergeAll(serve(layerRoutes({ corsOrigins: [] })), printKeysAndAddress, removeEndedEntries).pipe(
  Layer.provide(NodeHttpServer.layer(() => makeNodeServer(), { host: "127.0.0.1", port: 0 })),
  Layer.provide(Layer.mergeAll(
    Layer.succeed(AdminToken, Redacted.make("administration-token-of-the-bench")),
    Layer.succeed(Readiness, { check: Effect.void }),
    Draining.layer
  )),
  Layer.provide(engine)
)

await Effect.runPromise(Layer.launch(service))
