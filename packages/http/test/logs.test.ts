import { assert, layer } from "@effect/vitest"
import { Failpoints, Sessions, StoreUnavailable } from "@tapeline/core"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { makeRequestContext, requestLogFields } from "../src/requestContext.ts"
import { layerTestServer, sendRequest } from "./testServer.ts"
import { signInNewUser } from "./testSession.ts"

const lines: Array<string> = []

const unavailableError = Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error("down") }))

/** The faults that a test can set: an error of the session list, and an unavailable ledger. */
const faults = { sessions: undefined as Effect.Effect<never, StoreUnavailable> | undefined, isLedgerUnavailable: false }

const layerSessions = Layer.effect(
  Sessions,
  Effect.map(Sessions, (realMethods) => ({
    ...realMethods,
    sessions: (...parameters: Parameters<typeof realMethods.sessions>) =>
      faults.sessions ?? realMethods.sessions(...parameters)
  }))
)

const failpoints = Layer.succeed(
  Failpoints,
  (point) => faults.isLedgerUnavailable && point === "before:reserve" ? unavailableError : Effect.void
)

/** Returns the annotations of the single log line about a request. */
const loggedWith = (requestId: string): unknown => {
  const [line, ...others] = lines.filter((text) => text.includes(requestId))
  assert.isDefined(line, requestId)
  assert.deepStrictEqual(others, [])
  return JSON.parse(line).annotations
}

const server = layerTestServer(lines, {}, { corsOrigins: [] }, layerSessions).pipe(Layer.provide(failpoints))

layer(server, { excludeTestServices: true })("the log", (it) => {
  it.effect("has the id, route, account, key and status of a failed request", () =>
    Effect.gen(function*() {
      const { key, principal: { account }, record } = yield* createKeyedAccount()
      const { body, headers } = yield* sendRequest("POST", "/v1/tools/test_buggy", { key })
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
      const { account, answer, ask } = yield* signInNewUser()
      for (const [failure, status] of [[unavailableError, 503], [Effect.die(new Error("bug")), 500]] as const) {
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

  it.effect("has the id, route, account, key and status of a failed call over the Model Context Protocol", () =>
    Effect.gen(function*() {
      const { key, principal: { account }, record } = yield* createKeyedAccount()
      for (const [name, status] of [["test_korea", 503], ["test_buggy", 500]] as const) {
        faults.isLedgerUnavailable = status === 503
        const { headers, text } = yield* sendRequest("POST", "/mcp", {
          key,
          headers: { accept: "application/json, text/event-stream" },
          body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }
        })
        faults.isLedgerUnavailable = false
        assert.include(text, "\"isError\":true")
        const requestId = headers.get("x-request-id")!
        assert.deepStrictEqual(loggedWith(requestId), {
          request_id: requestId,
          route: "POST /mcp",
          account,
          key: record.id,
          status
        })
      }
    }))

  it("has no secret that a caller put into the path", () => {
    const request = HttpServerRequest.fromWeb(new Request("http://x/v1/charts/tl_live_abc123/tl_link_x?key=tl_sess_y"))
    assert.strictEqual(requestLogFields(request, makeRequestContext(request))["route"], "GET /v1/charts/tl_.../tl_...")
  })
})
