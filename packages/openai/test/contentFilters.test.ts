import { assert, describe, it } from "@effect/vitest"
import type { ModelError } from "@tapeline/core/agent"
import type { OpenAiModelOptions } from "@tapeline/openai"
import type { FakeReply } from "@tapeline/testing/fakeModel"
import { Effect } from "effect"
import { collectParts, makeFakeModel, makeReplyingModel, readFailureAt, summarizeParts } from "./support/fakeModel.ts"

const failureAfter = (reply: FakeReply, options: Partial<OpenAiModelOptions> = {}): Effect.Effect<ModelError> =>
  Effect.scoped(Effect.flatMap(makeFakeModel([reply]), (server) => readFailureAt(server, options)))

describe("content filters of providers", () => {
  it.effect.each(
    [
      // Azure's error
      [400, {
        code: "content_filter",
        status: 400,
        message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
      }],
      // OpenAI's errors
      [400, { code: "invalid_prompt", message: "Your prompt was flagged as potentially violating our usage policy." }],
      [400, { code: "content_policy_violation", message: "Your request was rejected by our safety system." }],
      // DeepSeek's error
      [400, { type: "invalid_request_error", message: "Content Exists Risk" }],
      // Alibaba Cloud's error
      [400, { code: "data_inspection_failed", message: "Input data may contain inappropriate content." }],
      // OpenRouter's error
      [403, {
        code: 403,
        message: "Your chosen model requires moderation and your input was flagged for \"violence\""
      }],
      // The message of the following error quotes the request, which contains a question about the context length.
      [400, { code: "content_filter", message: "maximum context length" }]
    ] as const
  )("reports status %s with %j as filtered content", ([status, error]) =>
    Effect.gen(function*() {
      const failure = yield* failureAfter({ status, body: { error } })
      assert.deepInclude(failure, { _tag: "ContentFiltered", retryable: false })
      // Some providers send an error as JSON with the status 200.
      assert.strictEqual((yield* failureAfter({ status: 200, body: { error } }))._tag, "ContentFiltered")
    }))

  it.effect("reports a failure of the filter itself as an outage", () =>
    Effect.gen(function*() {
      for (const [status, code] of [[500, "content_filter_error"], [503, "content_filter"]] as const) {
        const failure = yield* failureAfter({ status, body: { error: { code, message: "x" } } })
        assert.strictEqual(failure._tag, "ModelUnavailable")
      }
    }))

  it.effect.each(
    [
      ["chat", { error: { code: "content_filter", type: "content_filter", message: "policy" } }],
      ["responses", { type: "response.failed", response: { error: { code: "invalid_prompt" } } }],
      ["responses", { type: "error", code: "content_filter", message: "policy" }]
    ] as const
  )("reports an error within a stream of %s as filtered content: %j", ([api, data]) =>
    Effect.gen(function*() {
      const failure = yield* failureAfter({ acts: [{ text: "A" }, { data }, "end"] }, { api })
      assert.strictEqual(failure._tag, "ContentFiltered")
    }))

  it.effect.each(["refusal", "SAFETY", "sensitive", "content_filter: PROHIBITED_CONTENT"])(
    "reports the finish reason %s as filtered content",
    (finish) =>
      Effect.gen(function*() {
        const server = yield* makeReplyingModel({ reasoning: "hm" }, { finish })
        assert.deepInclude(summarizeParts(yield* collectParts(server)).end, { reason: "Filtered" })
      })
  )
})
