import { assert, describe, it } from "@effect/vitest"
import { documented, makeCallerApi, servedAdministrationApi, servedLinksApi } from "@tapeline/api"
import { specifications } from "@tapeline/core"
import { describedAlsoBy } from "@tapeline/document/judging"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { pglite } from "./support/places.ts"
import { startServer } from "./support/process.ts"
import { adminToken, ask, enrol, getPrice, settings } from "./support/service.ts"

// The API documents of the two addresses that share the interface.
describedAlsoBy(
  () => OpenApi.fromApi(documented(makeCallerApi(specifications))),
  () => OpenApi.fromApi(documented(servedAdministrationApi)),
  () => OpenApi.fromApi(documented(servedLinksApi))
)

describe("Administration and metrics at an address of their own", () => {
  it.live("are not at the callers', which has nothing else to lose; both end with the process", () =>
    Effect.gen(function*() {
      const place = yield* pglite()
      const server = yield* startServer({
        ...settings,
        ...place.environment,
        TAPELINE_ADMIN_PORT: "0",
        TAPELINE_KEEP_ALIVE_MS: "123000"
      })
      const address = /^Administration and metrics are on (\S+)\.$/m.exec(server.stdout())?.[1]
      assert.isDefined(address)
      const administration = { address }
      assert.notStrictEqual(address, server.address)
      const { key } = yield* enrol(administration, "pro")
      const answer = yield* getPrice(server, key)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("keep-alive"), "timeout=123")
      const { body: chart } = yield* ask(server, "POST", "/v1/tools/make_chart", { key, body: { coin: "BTC" } })
      assert.isTrue(chart.data.url.startsWith(`${server.address}/v1/charts/`), JSON.stringify(chart))
      for (const path of ["/admin/v1/accounts", "/metrics"]) {
        assert.strictEqual((yield* ask(server, "GET", path, { key: adminToken })).status, 404)
        assert.strictEqual((yield* ask(administration, "GET", path)).status, 401)
        assert.strictEqual((yield* ask(administration, "GET", path, { key: adminToken })).status, 200)
      }
      assert.strictEqual((yield* ask(administration, "GET", "/v1/usage", { key })).status, 404)
      // Users sign in at the callers' address.
      const link = "/admin/v1/accounts/1/links"
      assert.strictEqual((yield* ask(server, "POST", link, { key: adminToken })).status, 404)
      const { body } = yield* ask(administration, "POST", link, { key: adminToken })
      assert.isTrue(body.url.startsWith(`${server.address}/app/sign-in#tl_link_`), body.url)
      server.signal("SIGTERM")
      assert.deepStrictEqual(yield* server.ended, { code: 0, signal: null })
    }))
})
