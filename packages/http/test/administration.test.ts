import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { documented, makeToolsApi, servedAdministrationApi } from "@tapeline/api"
import { layerEngine, Toolbox } from "@tapeline/core"
import { describedAlsoBy } from "@tapeline/document/judging"
import { AdminToken, Draining, layerAdministrationRoutes, makeNodeServer, serve } from "@tapeline/http"
import { enrol, MemoryStores } from "@tapeline/testing"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { OpenApi } from "effect/http-api"
import { adminToken, layerTestServer, request } from "./server.ts"

// The API documents of the two servers that share the interface.
describedAlsoBy(
  () => OpenApi.fromApi(documented(makeToolsApi([]))),
  () => OpenApi.fromApi(documented(servedAdministrationApi))
)

const layerAdministrationServer = serve(layerAdministrationRoutes).pipe(
  Layer.provideMerge(NodeHttpServer.layer(makeNodeServer, { host: "127.0.0.1", port: 0 })),
  Layer.provide(Layer.succeed(AdminToken, Redacted.make(adminToken))),
  Layer.provideMerge(Draining.layer),
  Layer.provide(layerEngine({ toolbox: Toolbox.layer([]) })),
  Layer.provide(MemoryStores)
)

layer(layerTestServer([], {}, { corsOrigins: ["https://a.example", "*"], administration: "elsewhere" }), {
  excludeTestServices: true
})("callers' routes with the administration elsewhere", (it) => {
  it.effect("know nothing of it, with the right token too", () =>
    Effect.gen(function*() {
      for (const path of ["/admin/v1/accounts", "/admin/v1/keys/1", "/metrics"]) {
        const answer = yield* request("GET", path, { key: adminToken })
        assert.strictEqual(answer.status, 404)
        assert.strictEqual(answer.body.code, "not_found")
      }
      const document = (yield* request("GET", "/v1/openapi.json")).body
      assert.isFalse(Object.keys(document.paths).some((path) => path.startsWith("/admin")))
      assert.strictEqual((yield* request("GET", "/healthz")).status, 200)
    }))

  it.effect("let browsers of any origin call where `*` is among the origins", () =>
    Effect.gen(function*() {
      for (const origin of ["https://a.example", "https://b.example"]) {
        const answer = yield* request("GET", "/healthz", { headers: { origin } })
        assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
      }
    }))
})

layer(layerTestServer(), { excludeTestServices: true })("links that sign people in", (it) => {
  it.effect("are made by the administration alone, for accounts that there are", () =>
    Effect.gen(function*() {
      const { account, key } = yield* enrol()
      const path = `/admin/v1/accounts/${account.id}/links`
      const made = yield* request("POST", path, { key: adminToken })
      assert.strictEqual(made.status, 200)
      assert.strictEqual(made.headers.get("cache-control"), "no-store")
      assert.match(made.body.url, /^http:\/\/127\.0\.0\.1:\d+\/app\/sign-in#tl_link_[0-9A-Za-z]{38}$/)
      for (const shown of [{ key }, {}, { headers: { cookie: "tapeline=tl_sess_x" } }]) {
        assert.strictEqual((yield* request("POST", path, shown)).body.code, "invalid_key")
      }
      const nobody = yield* request("POST", "/admin/v1/accounts/999/links", { key: adminToken })
      assert.strictEqual(nobody.status, 404)
      assert.include(nobody.body.detail, "999")
      assert.strictEqual((yield* request("GET", path, { key: adminToken })).headers.get("allow"), "POST")
    }))
})

layer(layerAdministrationServer, { excludeTestServices: true })("the administration's own routes", (it) => {
  it.effect("answer it and nothing else", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* request("GET", "/admin/v1/accounts", { key: adminToken })).body.accounts, [])
      assert.strictEqual((yield* request("GET", "/metrics", { key: adminToken })).status, 200)
      assert.strictEqual((yield* request("GET", "/admin/v1/accounts")).status, 401)
      // This engine has no sessions.
      assert.strictEqual((yield* request("POST", "/admin/v1/accounts/1/links", { key: adminToken })).status, 404)
      for (const path of ["/v1/tools", "/v1/openapi.json", "/docs"]) {
        assert.strictEqual((yield* request("GET", path, { key: adminToken })).status, 404, path)
      }
      const method = yield* request("DELETE", "/metrics", { key: adminToken })
      assert.strictEqual(method.status, 405)
      assert.strictEqual(method.headers.get("allow"), "GET, HEAD")
    }))
})

describe("draining", () => {
  it.effect("is heard by all that wait for it, before and after it begins", () =>
    Effect.gen(function*() {
      const draining = yield* Draining
      const waiting = yield* Effect.forkChild(draining.begun)
      assert.isFalse(yield* draining.isDraining)
      yield* draining.begin
      yield* draining.begin
      yield* Fiber.join(waiting)
      yield* draining.begun
      assert.isTrue(yield* draining.isDraining)
    }).pipe(Effect.provide(Draining.layer)))
})
