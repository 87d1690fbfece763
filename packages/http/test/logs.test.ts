import { assert, layer } from "@effect/vitest"
import { enrol } from "@tapeline/testing"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { exchangeOf, loggedOf } from "../src/exchange.ts"
import { layerTestServer, request } from "./server.ts"

const lines: Array<string> = []

layer(layerTestServer(lines), { excludeTestServices: true })("the log", (it) => {
  it.effect("has the id, route, account, key and status of a failed request", () =>
    Effect.gen(function*() {
      const { key, principal: { account }, record } = yield* enrol()
      const { body, headers } = yield* request("POST", "/v1/tools/test_buggy", { key })
      const line = lines.find((text) => text.includes(body.request_id))
      assert.isDefined(line)
      assert.deepStrictEqual(JSON.parse(line).annotations, {
        request_id: headers.get("x-request-id"),
        route: "POST /v1/tools/test_buggy",
        account,
        key: record.id,
        status: 500
      })
    }))

  it("has no secret that a caller put into the path", () => {
    const asked = HttpServerRequest.fromWeb(new Request("http://x/v1/charts/tl_live_abc123/tl_link_x?key=tl_sess_y"))
    assert.strictEqual(loggedOf(asked, exchangeOf(asked))["route"], "GET /v1/charts/tl_.../tl_...")
  })
})
