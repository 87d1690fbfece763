import { assert, layer } from "@effect/vitest"
import { type CallReference, Ledger, parseCallId } from "@tapeline/core"
import { GenerationStore } from "@tapeline/core/agent"
import { createKeyedAccount } from "@tapeline/testing"
import { endPart, ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { layerAgentServer } from "./agentServer.ts"
import { openStream } from "./EventStream.ts"
import { sendRequest } from "./testServer.ts"

const model = new ScriptedModel(() => [textPart("An answer."), endPart])

const header = "tapeline-call-id"

const callOf = (id: string | null): CallReference => {
  const call = parseCallId(id ?? "")
  assert.isNotNull(call, `${id} is no id of a call`)
  return call
}

const refund = (account: number, id: string | null) =>
  Effect.flatMap(
    Ledger,
    (ledger) =>
      ledger.adjust({ kind: "refund", account, amount: null, call: callOf(id), reason: "test", reference: null })
  )

layer(layerAgentServer(model.layer), { excludeTestServices: true })("the id of a call", (it) => {
  it.effect("is in the response header of a tool call, and refunds the call once", () =>
    Effect.gen(function*() {
      const { key, principal: { account } } = yield* createKeyedAccount()
      const call = { key, body: { coin: "BTC" } }
      const [first, second] = [
        yield* sendRequest("POST", "/v1/tools/test_price", call),
        yield* sendRequest("POST", "/v1/tools/test_price", call)
      ]
      const id = first.headers.get(header)
      assert.notStrictEqual(id, second.headers.get(header))
      assert.strictEqual((yield* refund(account, id))._tag, "Adjusted")
      assert.strictEqual((yield* refund(account, id))._tag, "AlreadyRefunded")
      const { credits } = (yield* sendRequest("GET", "/v1/usage", { key })).body
      assert.deepStrictEqual([credits.adjusted, credits.used], [1, 2])
      const other = yield* createKeyedAccount()
      assert.strictEqual((yield* refund(other.account.id, second.headers.get(header)))._tag, "UnknownCall")
    }))

  it.effect("is in the response of a failed call, which cannot be refunded", () =>
    Effect.gen(function*() {
      const { key, principal: { account } } = yield* createKeyedAccount()
      const failed = yield* sendRequest("POST", "/v1/tools/test_failing", { key, body: {} })
      assert.property(failed.body.data, "error")
      assert.strictEqual((yield* refund(account, failed.headers.get(header)))._tag, "NotCharged")
    }))

  it.effect("is that of the first call in a replayed response", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const call = { key, body: { coin: "BTC" }, headers: { "idempotency-key": "a" } }
      const first = yield* sendRequest("POST", "/v1/tools/test_price", call)
      const again = yield* sendRequest("POST", "/v1/tools/test_price", call)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(again.headers.get(header), first.headers.get(header))
    }))

  it.effect("is absent if the call was rejected", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const rejected = yield* sendRequest("POST", "/v1/tools/test_price", { key, body: {} })
      assert.deepStrictEqual([rejected.status, rejected.headers.get(header)], [400, null])
    }))

  it.effect("is in the response to a question, as a whole, streamed or replayed", () =>
    Effect.gen(function*() {
      const { key, principal: { account } } = yield* createKeyedAccount()
      const question = { key, body: { message: "why?" }, headers: { "idempotency-key": "q" } }
      const stream = yield* openStream("/v1/agent/stream", question)
      yield* stream.readToEnd
      const id = stream.headers.get(header)
      const whole = yield* sendRequest("POST", "/v1/agent/messages", question)
      // After the log was deleted, only the stored answer is left.
      yield* (yield* GenerationStore).sweep({ closeAfterMs: -1_000, keepLogsMs: -1_000, keepRowsMs: 1e9, limit: 100 })
      const replayed = yield* openStream("/v1/agent/stream", question)
      yield* replayed.readToEnd
      assert.deepStrictEqual([whole, replayed].map(({ headers }) => headers.get(header)), [id, id])
      const result = yield* refund(account, id)
      assert.strictEqual(result._tag === "Adjusted" && result.balance.adjusted, 20)
    }))

  it.effect("is in the metadata of results at /mcp", () =>
    Effect.gen(function*() {
      const { key, principal: { account } } = yield* createKeyedAccount()
      const callMcp = (name: string, args: object) =>
        Effect.map(
          openStream("/mcp", {
            key,
            body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
            headers: { accept: "application/json, text/event-stream" }
          }),
          (stream) => Effect.map(stream.readToEnd, () => stream.events.at(-1)!.data.result)
        ).pipe(Effect.flatten)
      const called = yield* callMcp("test_price", { coin: "BTC" })
      assert.strictEqual((yield* refund(account, called._meta["tapeline/call_id"]))._tag, "Adjusted")
      const answered = yield* callMcp("ask_analyst", { question: "why?" })
      assert.strictEqual((yield* refund(account, answered._meta["tapeline/call_id"]))._tag, "Adjusted")
      const failed = yield* callMcp("test_failing", {})
      assert.isTrue(failed.isError)
      assert.strictEqual((yield* refund(account, failed._meta["tapeline/call_id"]))._tag, "NotCharged")
    }))
})
