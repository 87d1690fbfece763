import { assert, layer } from "@effect/vitest"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect } from "effect"
import { layerTestServer, sendRaw, sendRequest, testAdminToken } from "./testServer.ts"

layer(layerTestServer(), { excludeTestServices: true })("the router", (it) => {
  it.effect("returns 404 for paths with other case, extra slashes or percent-encoded letters", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      assert.strictEqual((yield* sendRequest("GET", "/admin/v1/accounts", { key: testAdminToken })).status, 200)
      for (
        const path of [
          "/ADMIN/v1/accounts",
          "//admin/v1/accounts",
          "/admin//v1/accounts",
          "/%61dmin/v1/accounts",
          "/admin/v1/accounts/",
          "/admin/v1/accounts;x",
          "/admin/v1/./accounts;",
          "/Metrics",
          "/metrics/",
          "/%6detrics",
          "/v1/tools/"
        ]
      ) {
        // The request is sent as raw text, because an HTTP client would normalize some of the tested paths.
        const raw = yield* sendRaw(
          `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${testAdminToken}\r\nConnection: close\r\n\r\n`
        )
        assert.match(raw, /^HTTP\/1\.1 404 /, path)
        assert.include(raw, `"code":"not_found"`, path)
      }
      for (const path of ["/V1/tools/test_price", "/v1/tools/test_price/", "/v1//tools/test_price"]) {
        assert.strictEqual(
          (yield* sendRequest("POST", path, { key, body: { coin: "BTC" } })).body.code,
          "not_found",
          path
        )
      }
      assert.strictEqual((yield* sendRequest("GET", "/Docs")).status, 404)
    }))

  it.effect("accepts ids, cursors and limits only in their canonical decimal form", () =>
    Effect.gen(function*() {
      const { account } = yield* createKeyedAccount()
      const change = (id: string) =>
        sendRequest("PATCH", `/admin/v1/accounts/${id}`, { key: testAdminToken, body: { plan: "pro" } })
      assert.strictEqual((yield* change(String(account.id))).status, 200)
      for (const id of [`0${account.id}`, `${account.id}.0`, `${account.id}e0`, `+${account.id}`, "0", "-1", "x"]) {
        assert.strictEqual((yield* change(id)).status, 404, id)
      }
      const list = (query: string) => sendRequest("GET", `/admin/v1/accounts?${query}`, { key: testAdminToken })
      assert.strictEqual((yield* list("cursor=0&limit=1")).status, 200)
      for (const query of ["cursor=1e3", "cursor=01", "limit=1.0", "limit=0", "limit=1001", "cursor="]) {
        assert.strictEqual((yield* list(query)).status, 400, query)
      }
    }))

  it.effect("accepts an absolute URL in the request line", () =>
    Effect.gen(function*() {
      const raw = yield* sendRaw("GET http://elsewhere/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      assert.match(raw, /^HTTP\/1\.1 200 /)
    }))

  it.effect("returns 404 unknown_tool for any unknown tool name", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      for (const name of ["%zz", "%", "%00", "a".repeat(150), "a".repeat(5000), "test%5Fprice", "TEST_PRICE", "x;y"]) {
        const answer = yield* sendRequest("POST", `/v1/tools/${name}`, { key, body: { coin: "BTC" } })
        assert.strictEqual(answer.status, 404, name)
        assert.strictEqual(answer.body.code, "unknown_tool", name)
      }
    }))

  it.effect("suggests the nearest tool name if the key may call that tool", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const { key: reader } = yield* createKeyedAccount({ scopes: ["read:market"] })
      const detail = (name: string, expectedUrl: string, headers = {}) =>
        Effect.map(
          sendRequest("POST", `/v1/tools/${name}`, { key: expectedUrl, body: {}, headers }),
          ({ body }) => body.detail
        )
      assert.include(yield* detail("test_prise", key), "did you mean `test_price`?")
      assert.include(yield* detail("test_prise", key, { "x-lang": "ko" }), "혹시 `test_price`인가요?")
      assert.include(yield* detail("test_prise", key, { "x-lang": "ru" }), "может быть, `test_price`?")
      assert.include(yield* detail("test_persona", key), "did you mean `test_personal`?")
      assert.notInclude(yield* detail("test_persona", reader), "test_personal")
    }))

  it.effect("returns 400 for unknown or repeated query parameters", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const typo = yield* sendRequest("GET", "/v1/tools?aera=crypto", { key })
      assert.strictEqual(typo.status, 400)
      assert.deepStrictEqual(typo.body.issues, [
        { path: ["aera"], message: "Unknown query parameter; known parameters: area, view." }
      ])
      const cases: ReadonlyArray<readonly [string, string, string | undefined]> = [
        ["GET", "/v1/usage?months=2026-01", key],
        ["POST", "/v1/quote?x", key],
        ["POST", "/v1/tools/test_korea?coin=BTC", key],
        ["GET", "/v1/openapi.json?x=1", undefined],
        ["GET", "/docs?x=1", undefined],
        ["GET", "/docs/scalar.js?x=1", undefined],
        ["GET", "/openapi.json?x=1", undefined],
        ["GET", "/healthz?x=1", undefined],
        ["GET", "/readyz?x=1", undefined],
        ["GET", "/metrics?x=1", testAdminToken],
        ["GET", "/admin/v1/accounts?pag=2", testAdminToken]
      ]
      for (const [method, path, expectedUrl] of cases) {
        const answer = yield* sendRequest(method, path, expectedUrl === undefined ? {} : { key: expectedUrl })
        assert.strictEqual(answer.status, 400, path)
        assert.strictEqual(answer.body.code, "invalid_arguments", path)
        assert.strictEqual(answer.body.issues.length, 1, path)
      }
      assert.strictEqual((yield* sendRequest("GET", "/v1/usage?x=1")).status, 401)
      assert.strictEqual((yield* sendRequest("GET", "/v1/usage?month=2026-01&month=2026-02", { key })).status, 400)
    }))
})
