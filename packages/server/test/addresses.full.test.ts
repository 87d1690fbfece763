import { assert, describe, it } from "@effect/vitest"
import { makeCallerApi, servedAdministrationApi, servedLinksApi, withOpenApiDocument } from "@tapeline/api"
import { specifications } from "@tapeline/core"
import { acceptOtherDocuments } from "@tapeline/document/validateResponses"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { startServer } from "./support/process.ts"
import { adminToken, callGetPrice, createAccount, sendRequest, testSettings } from "./support/service.ts"
import { makePglite } from "./support/testDatabases.ts"

acceptOtherDocuments(
  () => OpenApi.fromApi(withOpenApiDocument(makeCallerApi(specifications))),
  () => OpenApi.fromApi(withOpenApiDocument(servedAdministrationApi)),
  () => OpenApi.fromApi(withOpenApiDocument(servedLinksApi))
)

describe("Admin API and metrics on their own address", () => {
  it.live("are not served at the callers' address; both listeners end with the process", () =>
    Effect.gen(function*() {
      const database = yield* makePglite()
      const server = yield* startServer({
        ...testSettings,
        ...database.environment,
        TAPELINE_ADMIN_PORT: "0",
        TAPELINE_KEEP_ALIVE_MS: "123000"
      })
      const address = /^The admin API and metrics are at (\S+) \(documentation: \1\/docs\)$/m.exec(server.stdout())?.[1]
      assert.isDefined(address)
      const administration = { address }
      assert.notStrictEqual(address, server.address)
      const { key } = yield* createAccount(administration, "pro")
      const answer = yield* callGetPrice(server, key)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("keep-alive"), "timeout=123")
      const { body: chart } = yield* sendRequest(server, "POST", "/v1/tools/make_chart", { key, body: { coin: "BTC" } })
      assert.isTrue(chart.data.url.startsWith(`${server.address}/v1/charts/`), JSON.stringify(chart))
      for (const path of ["/admin/v1/accounts", "/metrics"]) {
        assert.strictEqual((yield* sendRequest(server, "GET", path, { key: adminToken })).status, 404)
        assert.strictEqual((yield* sendRequest(administration, "GET", path)).status, 401)
        assert.strictEqual((yield* sendRequest(administration, "GET", path, { key: adminToken })).status, 200)
      }
      assert.strictEqual((yield* sendRequest(administration, "GET", "/v1/usage", { key })).status, 404)
      // Users sign in at the public address, not at the address of the admin API.
      const link = "/admin/v1/accounts/1/links"
      assert.strictEqual((yield* sendRequest(server, "POST", link, { key: adminToken })).status, 404)
      const { body } = yield* sendRequest(administration, "POST", link, { key: adminToken })
      assert.isTrue(body.url.startsWith(`${server.address}/app/sign-in#tl_link_`), body.url)
      server.signal("SIGTERM")
      assert.deepStrictEqual(yield* server.awaitExit, { code: 0, signal: null })
    }))
})
