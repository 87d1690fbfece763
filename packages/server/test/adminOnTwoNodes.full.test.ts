import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ServerProcess, startServer } from "./support/process.ts"
import { callAdminApi, pollUntil, sendRequest, testSettings } from "./support/service.ts"
import { migratedPostgres } from "./support/testDatabases.ts"

const issueKey = (server: ServerProcess, account: number, fields: object = {}) =>
  Effect.map(
    callAdminApi(server, "POST", `/accounts/${account}/keys`, { name: "test", scopes: ["read:market"], ...fields }),
    ({ id, key }): { readonly id: number; readonly key: string } => ({ id, key })
  )

const call = (server: ServerProcess, key: string) =>
  Effect.map(
    sendRequest(server, "POST", "/v1/tools/get_price", { key, body: { coin: "BTC" } }),
    ({ body, status }): string => `${status} ${body.code ?? ""}`.trim()
  )

describe("A change on one node", () => {
  it.live("reaches calls and operators of the other node", () =>
    Effect.gen(function*() {
      const { environment } = yield* migratedPostgres
      const [one, other] = yield* Effect.all([
        startServer({ ...testSettings, ...environment }),
        startServer({ ...testSettings, ...environment })
      ], { concurrency: "unbounded" })
      const { id } = yield* callAdminApi(one, "POST", "/accounts", { name: "Ada", plan: "pro" })
      const { id: key, key: text } = yield* issueKey(one, id)
      const awaitCalls = (expected: string) =>
        Effect.forEach([one, other], (server) =>
          pollUntil(`calls with ${expected}`, call(server, text), (result) => result === expected))
      yield* awaitCalls("200")

      // Account status.
      yield* callAdminApi(one, "PATCH", `/accounts/${id}`, { status: "suspended", reason: "Unpaid" })
      yield* awaitCalls("403 account_suspended")
      yield* callAdminApi(other, "PATCH", `/accounts/${id}`, { status: "active" })
      yield* awaitCalls("200")

      // The test changes the limits of a key whose calls the other node has counted.
      const limit = (server: ServerProcess, body: object) =>
        callAdminApi(server, "PATCH", `/keys/${key}`, body)
      yield* limit(other, { allowed_ips: ["10.0.0.0/8"] })
      yield* awaitCalls("403 address_not_allowed")
      yield* limit(one, { allowed_ips: [], monthly_credits: 0 })
      yield* awaitCalls("402 key_over_limit")
      yield* limit(other, { monthly_credits: null })
      yield* awaitCalls("200")

      // No node caches admin tokens, so the next request with a deleted token is rejected.
      const { id: tokenId, token } = yield* callAdminApi(one, "POST", "/tokens", { name: "reader", scopes: ["read"] })
      const read = Effect.map(sendRequest(other, "GET", "/admin/v1/accounts", { key: token }), ({ status }) => status)
      assert.strictEqual(yield* read, 200)
      yield* callAdminApi(one, "DELETE", `/tokens/${tokenId}`)
      assert.strictEqual(yield* read, 401)

      // All keys and sessions of the account.
      yield* callAdminApi(one, "POST", `/accounts/${id}/revoke-all`)
      yield* awaitCalls("401 invalid_key")
    }), 90_000)
})
