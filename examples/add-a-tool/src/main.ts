// Adds a tool with a price to the built-in tools, and serves the tool over HTTP.
import { NodeHttpServer } from "@effect/platform-node"
import { DerivedStore, layerEngine, Toolbox, tools } from "@tapeline/core"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { SimMarket } from "@tapeline/market-sim"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { getRangeRankTool } from "./getRangeRank.handler.ts"

const market = DerivedStore.layer.pipe(Layer.provideMerge(SimMarket.layer({ seed: 1 })))
const engine = layerEngine({ toolbox: Toolbox.layer([...tools, getRangeRankTool]) }).pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryStores, market))
)
const server = serve(layerRoutes({ corsOrigins: [] })).pipe(
  Layer.provideMerge(NodeHttpServer.layer(makeNodeServer, { host: "127.0.0.1", port: 0 })),
  Layer.provide([
    Layer.succeed(AdminToken, Redacted.make("an-administration-token")),
    Layer.succeed(Readiness, { check: Effect.void }),
    Draining.layer
  ]),
  Layer.provideMerge(engine)
)

const program = Effect.gen(function*() {
  const { address } = yield* HttpServer.HttpServer
  const { key } = yield* createKeyedAccount()
  const base = HttpServer.formatAddress(address)
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const ask = (path: string, init?: RequestInit) =>
    Effect.promise(async (): Promise<any> => (await fetch(base + path, { headers, ...init })).json())

  const catalogue = yield* ask("/v1/tools?area=crypto")
  console.log(catalogue.tools.map((tool: { name: string }) => tool.name).join(" "))
  const document = yield* ask("/v1/openapi.json")
  console.log(document.paths["/v1/tools/get_range_rank"].post.description)
  const answer = yield* ask("/v1/tools/get_range_rank", { method: "POST", body: JSON.stringify({ coin: "eth" }) })
  console.log(JSON.stringify(answer, null, 2))
})

await Effect.runPromise(program.pipe(Effect.provide(server), Effect.scoped))
