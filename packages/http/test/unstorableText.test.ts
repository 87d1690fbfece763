import { assert, layer } from "@effect/vitest"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect } from "effect"
import { issuePathsOf, layerTestServer, sendRequest, testAdminToken } from "./testServer.ts"

layer(layerTestServer(), { excludeTestServices: true })("a value that cannot be stored", (it) => {
  it.effect("is a 400 that names the field, in every operation that accepts text", () =>
    Effect.gen(function*() {
      const { account, key, record } = yield* createKeyedAccount()
      const keys = `/admin/v1/accounts/${account.id}/keys`
      for (const invalidText of ["a\u0000b", "a\ud800b", "\udc00"]) {
        const requestCases: ReadonlyArray<readonly [string, string, string, object, ReadonlyArray<string | number>]> = [
          [testAdminToken, "POST", "/admin/v1/accounts", { name: invalidText, plan: "free" }, ["name"]],
          [testAdminToken, "POST", "/admin/v1/accounts", { name: "a", plan: invalidText }, ["plan"]],
          [testAdminToken, "PATCH", `/admin/v1/accounts/${account.id}`, { plan: invalidText }, ["plan"]],
          [testAdminToken, "POST", keys, { name: invalidText, scopes: ["read:us"] }, ["name"]],
          [testAdminToken, "POST", keys, { name: "k", scopes: ["read:us", invalidText] }, ["scopes", 1]],
          [testAdminToken, "POST", keys, { name: "k", scopes: ["read:us"], expires_at: invalidText }, ["expires_at"]],
          [testAdminToken, "PATCH", `/admin/v1/keys/${record.id}`, { scopes: [invalidText] }, ["scopes", 0]],
          [key, "POST", "/v1/quote", { calls: [{ name: invalidText, count: 1 }] }, ["calls", 0, "name"]],
          [key, "POST", "/v1/tools/test_price", { coin: invalidText }, ["coin"]],
          [key, "POST", "/v1/tools/test_price", { coin: "BTC", [invalidText]: 1 }, [invalidText]]
        ]
        for (const [credential, method, path, body, location] of requestCases) {
          const rejection = yield* sendRequest(method, path, { key: credential, body })
          assert.deepStrictEqual([rejection.status, rejection.body.code], [400, "invalid_arguments"], path)
          assert.deepStrictEqual(issuePathsOf(rejection), [location])
        }
      }
      for (const sent of ["a\tb", "\u00e9", "x".repeat(129), ""]) {
        const rejection = yield* sendRequest("POST", "/v1/tools/test_price", {
          key,
          body: { coin: "BTC" },
          headers: { "idempotency-key": sent }
        })
        assert.strictEqual(rejection.status, 400)
        assert.deepStrictEqual(issuePathsOf(rejection), [["Idempotency-Key"]])
      }
    }))

  it.effect("is a 400 for a month or a number out of bounds, and a 404 for such an id", () =>
    Effect.gen(function*() {
      const { account, key } = yield* createKeyedAccount()
      const months = ["0000-01", "0001-01", "0099-12", "1999-12", "3000-01", "9999-12", "2026-13", "%00", "%ED%A0%80"]
      for (const month of months) {
        const rejection = yield* sendRequest("GET", `/v1/usage?month=${month}`, { key })
        assert.deepStrictEqual([rejection.status, rejection.body.code], [400, "invalid_arguments"], month)
        assert.deepStrictEqual(issuePathsOf(rejection), [["month"]])
      }
      for (const month of ["2000-01", "2999-12"]) {
        const { body, status } = yield* sendRequest("GET", `/v1/usage?month=${month}`, { key })
        assert.deepStrictEqual([status, body.month], [200, month])
        assert.match(body.renews_at, /^\d{4}-\d\d-01T00:00:00\.000Z$/)
      }
      for (const query of ["cursor=9007199254740992", "cursor=-1", "cursor=%00", "limit=0", "limit=1001"]) {
        for (const path of ["/admin/v1/accounts", `/admin/v1/accounts/${account.id}/keys`]) {
          const rejection = yield* sendRequest("GET", `${path}?${query}`, { key: testAdminToken })
          assert.strictEqual(rejection.status, 400, query)
          assert.deepStrictEqual(issuePathsOf(rejection), [[query.slice(0, query.indexOf("="))]])
        }
      }
      for (const id of ["2147483648", "9007199254740993", "0", "-1", "%00", "1.5"]) {
        const body = { plan: "pro" }
        assert.strictEqual(
          (yield* sendRequest("PATCH", `/admin/v1/accounts/${id}`, { key: testAdminToken, body })).status,
          404
        )
        assert.strictEqual((yield* sendRequest("DELETE", `/admin/v1/keys/${id}`, { key: testAdminToken })).status, 404)
      }
    }))
})
