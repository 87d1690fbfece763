import { assert, layer } from "@effect/vitest"
import { Draining } from "@tapeline/http"
import { createKeyedAccount } from "@tapeline/testing"
import { ScriptedModel, textPart, waitForever } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { layerAgentServer } from "./agentServer.ts"
import { openStream } from "./EventStream.ts"
import { sendRaw, sendRequest } from "./testServer.ts"
import { signInNewUser } from "./testSession.ts"

const model = new ScriptedModel(() => [textPart("I begin, "), waitForever])

const accept = "application/json, text/event-stream"

const callOf = (name: string, args: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: args, _meta: { progressToken: 1 } }
})

const textIn = (received: string): string => JSON.parse(/^data: (.*)$/m.exec(received)![1]!).result.content[0].text

layer(layerAgentServer(model.layer), { excludeTestServices: true })("the Model Context Protocol at /mcp", (it) => {
  it.effect("rejects a call with two idempotency keys without a charge", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const body = JSON.stringify(callOf("test_price", { coin: "BTC" }))
      const { address } = yield* HttpServer.HttpServer
      const received = yield* sendRaw([
        "POST /mcp HTTP/1.1",
        `host: ${HttpServer.formatAddress(address).slice("http://".length)}`,
        `authorization: Bearer ${key}`,
        `accept: ${accept}`,
        "content-type: application/json",
        "idempotency-key: a",
        "idempotency-key: b",
        "connection: close",
        `content-length: ${body.length}`,
        "",
        body
      ].join("\r\n"))
      assert.match(textIn(received), /Invalid arguments; nothing was charged\. Idempotency-Key/)
      const { body: usage } = yield* sendRequest("GET", "/v1/usage", { key })
      assert.strictEqual(usage.credits.used, 0)
    }))

  it.effect("accepts a key and rejects a session cookie", () =>
    Effect.gen(function*() {
      const { ask, key } = yield* signInNewUser()
      const post = { body: callOf("test_price", { coin: "BTC" }), headers: { accept } }
      const rejection = yield* ask("POST", "/mcp", post)
      assert.deepStrictEqual([rejection.status, rejection.body.code], [401, "invalid_key"])
      assert.strictEqual(rejection.headers.get("www-authenticate"), "Bearer")
      const { body: usage } = yield* ask("GET", "/v1/usage")
      assert.strictEqual(usage.credits.used, 0)
      const called = yield* ask("POST", "/mcp", { ...post, key })
      assert.deepStrictEqual([called.status, (yield* ask("GET", "/v1/usage")).body.credits.used], [200, 1])
    }))

  // This test must be the last test, because it stops the server.
  it.effect("returns an error to a waiting call when the process stops, and rejects new calls with 503", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const body = callOf("ask_analyst", { question: "why?" })
      const stream = yield* openStream("/mcp", { key, body, headers: { accept } })
      yield* stream.readUntil(({ text }) => text.includes("Writing the answer"))
      yield* Effect.flatMap(Draining, ({ begin }) => begin)
      yield* stream.readToEnd
      const { result } = stream.events.at(-1)!.data
      assert.isTrue(result.isError)
      assert.strictEqual(result._meta["tapeline/problem"].code, "unavailable")
      assert.match(result.content[0].text, /unavailable.*Call again in 1 second/)
      assert.strictEqual((yield* sendRequest("POST", "/mcp", { key, body, headers: { accept } })).status, 503)
    }))
})
