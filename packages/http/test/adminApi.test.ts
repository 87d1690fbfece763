import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { makeToolsApi, servedAdministrationApi, withOpenApiDocument } from "@tapeline/api"
import { layerEngine, Toolbox } from "@tapeline/core"
import { acceptOtherDocuments } from "@tapeline/document/validateResponses"
import { AdminConsole, AdminToken, Draining, layerAdminRoutes, makeNodeServer, serve } from "@tapeline/http"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { OpenApi } from "effect/http-api"
import { layerTestServer, sendRequest, testAdminToken } from "./testServer.ts"

acceptOtherDocuments(
  () => OpenApi.fromApi(withOpenApiDocument(makeToolsApi([]))),
  () => OpenApi.fromApi(withOpenApiDocument(servedAdministrationApi))
)

const consoleFile = {
  path: "index.html",
  type: "text/html",
  etag: "1",
  immutable: false,
  bytes: new TextEncoder().encode("<!doctype html>")
}

const layerAdministrationServer = serve(layerAdminRoutes).pipe(
  Layer.provideMerge(NodeHttpServer.layer(makeNodeServer, { host: "127.0.0.1", port: 0 })),
  Layer.provide(Layer.succeed(AdminToken, Redacted.make(testAdminToken))),
  Layer.provide(Layer.succeed(AdminConsole, [consoleFile])),
  Layer.provideMerge(Draining.layer),
  Layer.provide(layerEngine({ toolbox: Toolbox.layer([]) })),
  Layer.provide(MemoryStores)
)

layer(layerTestServer([], {}, { corsOrigins: ["https://a.example", "*"], adminApi: "elsewhere" }), {
  excludeTestServices: true
})("the caller API with the admin API on another address", (it) => {
  it.effect("returns 404 for admin paths, also with the admin token", () =>
    Effect.gen(function*() {
      for (const path of ["/admin/v1/accounts", "/admin/v1/keys/1", "/metrics"]) {
        const answer = yield* sendRequest("GET", path, { key: testAdminToken })
        assert.strictEqual(answer.status, 404)
        assert.strictEqual(answer.body.code, "not_found")
      }
      const document = (yield* sendRequest("GET", "/v1/openapi.json")).body
      assert.isFalse(Object.keys(document.paths).some((path) => path.startsWith("/admin")))
      assert.strictEqual((yield* sendRequest("GET", "/healthz")).status, 200)
    }))

  it.effect("allows browsers of any origin if `*` is among the origins", () =>
    Effect.gen(function*() {
      for (const origin of ["https://a.example", "https://b.example"]) {
        const answer = yield* sendRequest("GET", "/healthz", { headers: { origin } })
        assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*")
      }
    }))
})

layer(layerTestServer(), { excludeTestServices: true })("sign-in links", (it) => {
  it.effect("are created only with the admin token, for existing accounts", () =>
    Effect.gen(function*() {
      const { account, key } = yield* createKeyedAccount()
      const path = `/admin/v1/accounts/${account.id}/links`
      const created = yield* sendRequest("POST", path, { key: testAdminToken })
      assert.strictEqual(created.status, 200)
      assert.strictEqual(created.headers.get("cache-control"), "no-store")
      assert.match(created.body.url, /^http:\/\/127\.0\.0\.1:\d+\/app\/sign-in#tl_link_[0-9A-Za-z]{38}$/)
      for (const credentials of [{ key }, {}, { headers: { cookie: "tapeline=tl_sess_x" } }]) {
        assert.strictEqual((yield* sendRequest("POST", path, credentials)).body.code, "invalid_key")
      }
      const unknownAccount = yield* sendRequest("POST", "/admin/v1/accounts/999/links", { key: testAdminToken })
      assert.strictEqual(unknownAccount.status, 404)
      assert.include(unknownAccount.body.detail, "999")
      assert.strictEqual((yield* sendRequest("GET", path, { key: testAdminToken })).headers.get("allow"), "POST")
    }))
})

layer(layerAdministrationServer, { excludeTestServices: true })("the admin API on its own address", (it) => {
  it.effect("serves only admin paths, their documentation and metrics", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        (yield* sendRequest("GET", "/admin/v1/accounts", { key: testAdminToken })).body.accounts,
        []
      )
      assert.strictEqual((yield* sendRequest("GET", "/metrics", { key: testAdminToken })).status, 200)
      assert.strictEqual((yield* sendRequest("GET", "/admin/v1/accounts")).status, 401)
      assert.strictEqual(
        (yield* sendRequest("POST", "/admin/v1/accounts/1/links", { key: testAdminToken })).status,
        404
      )
      for (const path of ["/v1/tools", "/healthz", "/mcp"]) {
        assert.strictEqual((yield* sendRequest("GET", path, { key: testAdminToken })).status, 404, path)
      }
      const method = yield* sendRequest("DELETE", "/metrics", { key: testAdminToken })
      assert.strictEqual(method.status, 405)
      assert.strictEqual(method.headers.get("allow"), "GET, HEAD")
    }))

  it.effect("documents the operations of the admin API, and no others", () =>
    Effect.gen(function*() {
      const { body } = yield* sendRequest("GET", "/v1/openapi.json")
      const paths = Object.keys(body.paths)
      assert.includeMembers(paths, ["/admin/v1/accounts/{id}", "/admin/v1/usage", "/admin/v1/events", "/metrics"])
      assert.deepStrictEqual(paths.filter((path) => !path.startsWith("/admin/v1/") && path !== "/metrics"), [])
      const page = yield* sendRequest("GET", "/docs")
      assert.strictEqual(page.status, 200)
      assert.include(page.headers.get("content-security-policy"), "connect-src 'self'")
    }))

  it.effect("serves the files of the console, and redirects to the admin area", () =>
    Effect.gen(function*() {
      for (const path of ["/", "/app"]) {
        const { address } = yield* HttpServer.HttpServer
        const url = `${HttpServer.formatAddress(address)}${path}`
        const redirect = yield* Effect.promise((signal) => fetch(url, { redirect: "manual", signal }))
        assert.deepStrictEqual([redirect.status, redirect.headers.get("location")], [302, "/app/admin"])
      }
      const page = yield* sendRequest("GET", "/app/admin/accounts")
      assert.strictEqual(page.status, 200)
      assert.include(page.headers.get("content-security-policy"), "connect-src 'self'")
    }))
})

describe("draining", () => {
  it.effect("resumes all waiters, before and after it begins", () =>
    Effect.gen(function*() {
      const draining = yield* Draining
      const waiting = yield* Effect.forkChild(draining.awaitBegin)
      assert.isFalse(yield* draining.isWithdrawn)
      yield* draining.withdraw
      assert.isTrue(yield* draining.isWithdrawn)
      assert.isFalse(yield* draining.isDraining)
      yield* draining.begin
      yield* draining.begin
      yield* Fiber.join(waiting)
      yield* draining.awaitBegin
      assert.isTrue(yield* draining.isDraining)
    }).pipe(Effect.provide(Draining.layer)))
})
