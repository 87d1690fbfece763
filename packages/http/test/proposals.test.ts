import { assert, layer } from "@effect/vitest"
import { createKeyedAccount } from "@tapeline/testing"
import { callPart, endPart, ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { layerAgentServer } from "./agentServer.ts"
import { sendRequest } from "./testServer.ts"

const model = new ScriptedModel(({ step }) =>
  step === 1 ? [callPart("test_personal", {}), endPart] : [textPart("See below."), endPart]
)

const ask = (key: string) =>
  Effect.map(sendRequest("POST", "/v1/agent/messages", { key, body: { message: "Write" } }), ({ body }) => body)

layer(layerAgentServer(model.layer), { excludeTestServices: true })("a proposal over HTTP", (it) => {
  it.effect("is listed by its answer and its message, and accepted once", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const { conversation_id, proposals } = yield* ask(key)
      const [{ id, ...shown }] = proposals
      assert.deepStrictEqual(shown, { tool: "test_personal", arguments: {}, summary: "`test_personal`" })
      const path = `/v1/agent/proposals/${id}`
      const open = yield* sendRequest("GET", path, { key })
      assert.deepInclude(open.body, { id, conversation_id, state: "open", envelope: null, error: null })
      const accepted = yield* sendRequest("POST", `${path}/accept`, { key })
      assert.deepStrictEqual([accepted.status, accepted.body.state], [200, "accepted"])
      assert.deepInclude(accepted.body.envelope, { tool: "test_personal", credits_used: 1, data: { ok: true } })
      const again = yield* sendRequest("POST", `${path}/accept`, { key, body: {} })
      assert.deepStrictEqual(again.body, accepted.body)
      const { body } = yield* sendRequest("GET", `/v1/agent/conversations/${conversation_id}`, { key })
      const [, answer, report] = body.messages
      assert.deepStrictEqual(answer.proposals, [accepted.body])
      assert.deepStrictEqual([report.id, report.proposal_id], [accepted.body.report_message_id, id])
      const dismissed = yield* sendRequest("POST", `${path}/dismiss`, { key })
      assert.deepStrictEqual([dismissed.status, dismissed.body.code, dismissed.body.state], [
        409,
        "proposal_closed",
        "accepted"
      ])
    }))

  it.effect("is rejected with 403 without the scope, and with 404 for another account or a malformed id", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const other = yield* createKeyedAccount()
      const reader = yield* createKeyedAccount({ scopes: ["agent:chat", "read:market"] })
      const { proposals: [{ id }] } = yield* ask(key)
      const codes = yield* Effect.forEach(
        [
          [other.key, id, "accept"],
          [reader.key, id, "accept"],
          [reader.key, id, "dismiss"],
          [key, "p_1_1.1x", "accept"],
          [key, "p_9007199254740991_1.1", "accept"]
        ] as const,
        ([caller, proposal, action]) =>
          Effect.map(
            sendRequest("POST", `/v1/agent/proposals/${proposal}/${action}`, { key: caller }),
            ({ body, status }) => [status, body.code]
          )
      )
      assert.deepStrictEqual(codes, [
        [404, "proposal_not_found"],
        [403, "scope_required"],
        [403, "scope_required"],
        [404, "not_found"],
        [404, "proposal_not_found"]
      ])
      const withArguments = yield* sendRequest("POST", `/v1/agent/proposals/${id}/accept`, {
        key,
        body: { arguments: { id: 1 } }
      })
      assert.strictEqual(withArguments.status, 400)
      const dismissed = yield* sendRequest("POST", `/v1/agent/proposals/${id}/dismiss`, { key })
      assert.deepStrictEqual([dismissed.status, dismissed.body.state], [200, "dismissed"])
      const late = yield* sendRequest("POST", `/v1/agent/proposals/${id}/accept`, { key })
      assert.deepStrictEqual([late.status, late.body.code], [409, "proposal_closed"])
    }))

  it.effect("is skipped with `writes: allow`", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const { body } = yield* sendRequest("POST", "/v1/agent/messages", {
        key,
        body: { message: "Write", writes: "allow" }
      })
      assert.isUndefined(body.proposals)
      const invalid = yield* sendRequest("POST", "/v1/agent/messages", { key, body: { message: "x", writes: "all" } })
      assert.deepStrictEqual([invalid.status, invalid.body.code], [400, "invalid_arguments"])
    }))
})
