import { NodeHttpServer } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { layerEngine, Ledger, Sessions, StoreUnavailable, Toolbox } from "@tapeline/core"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Context, Effect, Layer, Metric, Redacted } from "effect"
import { sendRaw, sendRequest, testAdminToken, testPlans } from "./testServer.ts"
import { testTools } from "./testTools.ts"

const database = { isDown: false }

const layerLedger = Layer.effect(
  Ledger,
  Effect.map(Ledger, (ledger) => ({
    ...ledger,
    balance: (...parameters: Parameters<typeof ledger.balance>) =>
      database.isDown
        ? Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error("down") }))
        : ledger.balance(...parameters)
  }))
)

const readiness = { isReady: true }

/** A server with its own metrics registry, so that only requests of this file are counted. */
const layerServer = serve(layerRoutes({ corsOrigins: ["https://app.example.com"] })).pipe(
  Layer.provideMerge(NodeHttpServer.layer(() => makeNodeServer(), { host: "127.0.0.1", port: 0 })),
  Layer.provide(Layer.succeed(AdminToken, Redacted.make(testAdminToken))),
  Layer.provide(Layer.succeed(Readiness, {
    check: Effect.suspend(() =>
      readiness.isReady
        ? Effect.void
        : Effect.fail(new StoreUnavailable({ store: "database", cause: new Error("down") }))
    )
  })),
  Layer.provideMerge(Draining.layer),
  Layer.provide(layerLedger),
  Layer.provideMerge(Sessions.layer),
  Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer(testTools), plans: testPlans })),
  Layer.provideMerge(MemoryStores),
  Layer.provideMerge(Layer.succeed(Metric.MetricRegistry, new Map()))
)

/** Returns the counters of `/metrics` that are not 0, by name and labels. */
const countersOf = (text: string, name: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\d+)$`, "gm"))]
      .map(([, labels = "", count]) => [labels.replaceAll(/\w+="([^"]*)",?/g, "$1 ").trim(), Number(count)] as const)
      .filter(([, count]) => count > 0)
  )

layer(layerServer, { excludeTestServices: true })("/metrics", (it) => {
  const scrape = Effect.map(sendRequest("GET", "/metrics", { key: testAdminToken }), ({ text }) => ({
    text,
    responses: countersOf(text, "tapeline_http_responses"),
    rejections: countersOf(text, "tapeline_http_rejections")
  }))

  it.effect("lists every route and every problem code with 0 before the first request", () =>
    Effect.gen(function*() {
      const { rejections, responses, text } = yield* scrape
      assert.deepStrictEqual([responses, rejections], [{}, {}])
      assert.match(text, /^tapeline_http_responses\{route="POST \/v1\/tools\/\{name\}",status_class="5xx"\} 0$/m)
      assert.match(text, /^tapeline_http_rejections\{code="unavailable"\} 0$/m)
    }))

  it.effect("counts responses by route pattern and status class, and rejections by code", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      yield* sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" } })
      yield* sendRequest("POST", "/v1/tools/no_such_tool", { key, body: {} })
      yield* sendRequest("POST", `/v1/tools/${"x".repeat(3000)}`, { key, body: {} })
      yield* sendRequest("POST", "/v1/tools/test_price", { key: "tl_live_wrong", body: {} })
      for (const path of ["/a", "/b", "/v1/tools/%00/x", "/V1/usage"]) yield* sendRequest("GET", path)
      yield* sendRequest("PUT", "/v1/usage", { key })
      yield* sendRequest("HEAD", "/healthz")
      const usage = sendRequest("GET", "/v1/usage", { key })
      yield* usage
      database.isDown = true
      const rejection = yield* usage
      assert.deepStrictEqual([rejection.status, rejection.body.code], [503, "unavailable"])
      const { rejections, responses } = yield* scrape
      assert.deepStrictEqual(responses, {
        "GET /healthz 2xx": 1,
        // The count includes the request of the previous test.
        "GET /metrics 2xx": 1,
        "GET /v1/usage 2xx": 1,
        "GET /v1/usage 5xx": 1,
        "POST /v1/tools/{name} 2xx": 1,
        "POST /v1/tools/{name} 4xx": 3,
        "none 4xx": 5
      })
      assert.deepStrictEqual(rejections, {
        invalid_key: 1,
        method_not_allowed: 1,
        not_found: 4,
        unavailable: 1,
        unknown_tool: 2
      })
    }))

  it.effect("counts responses of /readyz, but no rejection of a caller, while a dependency is unavailable", () =>
    Effect.gen(function*() {
      const before = yield* scrape
      readiness.isReady = false
      for (const method of ["GET", "HEAD"]) {
        assert.strictEqual((yield* sendRequest(method, "/readyz")).status, 503)
      }
      readiness.isReady = true
      const after = yield* scrape
      assert.deepInclude(after.responses, { "GET /readyz 5xx": 2 })
      assert.deepStrictEqual(after.rejections, before.rejections)
    }))

  it.effect("counts MCP calls that get 200 with a problem as rejections", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const body = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "test_price", arguments: { coin: "BTC", nothing: 1 } }
      }
      const headers = { accept: "application/json, text/event-stream" }
      const response = yield* sendRequest("POST", "/mcp", { key, body, headers })
      assert.strictEqual(response.status, 200)
      const { rejections, responses } = yield* scrape
      assert.deepInclude(rejections, { invalid_arguments: 1 })
      assert.deepInclude(responses, { "POST /mcp 2xx": 1 })
    }))

  it.effect("counts requests that Node's parser rejects", () =>
    Effect.gen(function*() {
      // Node's parser runs outside of the layers, and counts in the registry of the process.
      const counted = Effect.sync(() =>
        Metric.snapshotUnsafe(Context.empty())
          .flatMap(({ attributes, id, state }) =>
            id === "tapeline_http_rejections" && attributes?.["code"] === "invalid_request" ? [state] : []
          )
      )
      const before = yield* counted
      yield* sendRaw("no HTTP\r\n\r\n")
      assert.notDeepEqual(yield* counted, before)
    }))
})
