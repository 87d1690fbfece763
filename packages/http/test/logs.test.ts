import { assert, layer } from "@effect/vitest"
import { Sessions, StoreUnavailable } from "@tapeline/core"
import { enrol } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { exchangeOf, loggedOf } from "../src/exchange.ts"
import { signedIn } from "./browser.ts"
import { layerTestServer, request } from "./server.ts"

const lines: Array<string> = []

const away = Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error("down") }))

/** How the list of sessions fails. */
const faults = { sessions: undefined as Effect.Effect<never, StoreUnavailable> | undefined }

const layerSessions = Layer.effect(
  Sessions,
  Effect.map(Sessions, (real) => ({
    ...real,
    sessions: (...asked: Parameters<typeof real.sessions>) => faults.sessions ?? real.sessions(...asked)
  }))
)

/** The annotations of the one line about a request. */
const loggedWith = (requestId: string): unknown => {
  const [line, ...others] = lines.filter((text) => text.includes(requestId))
  assert.isDefined(line, requestId)
  assert.deepStrictEqual(others, [])
  return JSON.parse(line).annotations
}

const server = layerTestServer(lines, {}, { corsOrigins: [] }, layerSessions)

layer(server, { excludeTestServices: true })("the log", (it) => {
  it.effect("has the id, route, account, key and status of a failed request", () =>
    Effect.gen(function*() {
      const { key, principal: { account }, record } = yield* enrol()
      const { body, headers } = yield* request("POST", "/v1/tools/test_buggy", { key })
      assert.deepStrictEqual(loggedWith(body.request_id), {
        request_id: headers.get("x-request-id"),
        route: "POST /v1/tools/test_buggy",
        account,
        key: record.id,
        status: 500
      })
    }))

  it.effect("has the account, session and status of a session's failed operation", () =>
    Effect.gen(function*() {
      const { account, answer, ask } = yield* signedIn()
      for (const [failure, status] of [[away, 503], [Effect.die(new Error("bug")), 500]] as const) {
        faults.sessions = failure
        const { body } = yield* ask("GET", "/v1/account")
        faults.sessions = undefined
        assert.strictEqual(body.status, status)
        assert.deepStrictEqual(loggedWith(body.request_id), {
          request_id: body.request_id,
          route: "GET /v1/account",
          account: account.id,
          session: answer.body.session.id,
          status
        })
      }
    }))

  it("has no secret that a caller put into the path", () => {
    const asked = HttpServerRequest.fromWeb(new Request("http://x/v1/charts/tl_live_abc123/tl_link_x?key=tl_sess_y"))
    assert.strictEqual(loggedOf(asked, exchangeOf(asked))["route"], "GET /v1/charts/tl_.../tl_...")
  })
})
