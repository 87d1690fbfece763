import { assert, layer } from "@effect/vitest"
import { enrol } from "@tapeline/testing"
import { Effect } from "effect"
import { layerTestServer, request } from "./server.ts"

const lines: Array<string> = []

layer(layerTestServer(lines), { excludeTestServices: true })("the log", (it) => {
  it.effect("says of a failure whose request it was, what was asked for, and how it was answered", () =>
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
})
