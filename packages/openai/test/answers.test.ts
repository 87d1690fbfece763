import { assert, describe, it } from "@effect/vitest"
import type { ModelTurn } from "@tapeline/core/agent"
import { makeModelRequest } from "@tapeline/testing/agent/modelRequest"
import { languageModelContract } from "@tapeline/testing/contracts/languageModel"
import type { FakeReply, FakeResponseStep } from "@tapeline/testing/fakeModel"
import { Effect, Layer } from "effect"
import {
  collectParts,
  key,
  layerModelAt,
  makeFakeModel,
  makeReplyingModel,
  summarizeParts
} from "./support/fakeModel.ts"

const usualReply: FakeReply = {
  acts: [
    { reasoning: "hm" },
    { text: "It is 👍" },
    { call: "get_price", arguments: { coin: "BTC" }, pieces: 3 },
    { usage: { prompt_tokens: 3, completion_tokens: 4, input_tokens: 3, output_tokens: 4 } }
  ]
}

/** The fake model makes calls only if the request offers tools, as a real model would. */
const script = ({ body }: { readonly body: Readonly<Record<string, unknown>> | null }): FakeReply =>
  body?.["tools"] === undefined ? { acts: [{ text: "1\n2" }] } : usualReply

for (const api of ["chat", "responses"] as const) {
  languageModelContract(
    `openai, ${api}`,
    Layer.unwrap(Effect.map(makeFakeModel(script), (server) => layerModelAt(server, { api })))
  )

  it.effect(`${api}: reads text, reasoning, parallel calls in pieces and usage`, () =>
    Effect.gen(function*() {
      const server = yield* makeReplyingModel(
        { reasoning: "first " },
        { reasoning: "this" },
        { text: "A" },
        { text: "B" },
        { call: "get_price", arguments: { coin: "BTC" }, pieces: 5 },
        { call: "get_funding", arguments: { coin: "ETH", n: 1 }, pieces: 2 },
        {
          usage: api === "chat"
            ? {
              prompt_tokens: 100,
              completion_tokens: 20,
              total_tokens: 120,
              prompt_tokens_details: { cached_tokens: 60 },
              completion_tokens_details: { reasoning_tokens: 5 }
            }
            : {
              input_tokens: 100,
              output_tokens: 20,
              total_tokens: 120,
              input_tokens_details: { cached_tokens: 60 },
              output_tokens_details: { reasoning_tokens: 5 }
            }
        }
      )
      const { calls, end, reasoning, text } = summarizeParts(yield* collectParts(server, {}, { api }))
      assert.strictEqual(text, "AB")
      assert.strictEqual(reasoning, "first this")
      assert.deepStrictEqual(calls, [["get_price", `{"coin":"BTC"}`], ["get_funding", `{"coin":"ETH","n":1}`]])
      assert.deepInclude(end, {
        reason: "Calls",
        usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 60, reasoningTokens: 5 }
      })
    }))

  it.effect.each(
    [
      ["stop", "Stop"],
      ["length", "Length"],
      ["content_filter", "Filtered"]
    ] as const
  )(`${api}: reports the reason of an answer that ends with %s`, ([finish, reason]) =>
    Effect.gen(function*() {
      const server = yield* makeReplyingModel({ text: "A" }, { finish })
      const { end, text } = summarizeParts(yield* collectParts(server, {}, { api }))
      assert.strictEqual(text, "A")
      assert.deepInclude(end, { reason, usage: null })
    }))

  it.effect(`${api}: returns a refusal as text, and only complete calls of a truncated answer`, () =>
    Effect.gen(function*() {
      const refusing = yield* makeReplyingModel({ refusal: "I cannot." })
      assert.strictEqual(summarizeParts(yield* collectParts(refusing, {}, { api })).text, "I cannot.")
      const cutAnswer = yield* makeReplyingModel({ call: "a", arguments: {} }, { call: "b", arguments: `{"x":` }, {
        finish: "length"
      })
      const { calls, end } = summarizeParts(yield* collectParts(cutAnswer, {}, { api }))
      assert.deepStrictEqual(calls, [["a", "{}"]])
      assert.deepInclude(end, { reason: "Length" })
    }))
}

const piece = (...calls: ReadonlyArray<object>): FakeResponseStep => ({ choice: { delta: { tool_calls: calls } } })

describe("dialects of Chat Completions", () => {
  const f = (name?: string, args?: unknown) => ({
    function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) }
  })
  const cases: ReadonlyArray<
    readonly [what: string, acts: ReadonlyArray<FakeResponseStep>, calls: ReadonlyArray<unknown>]
  > = [
    [
      "whole calls, all under index 0, each with an id",
      [piece({ index: 0, id: "a", ...f("one", "{\"x\":1}") }), piece({ index: 0, id: "b", ...f("two", "{}") })],
      [["one", "{\"x\":1}"], ["two", "{}"]]
    ],
    [
      "whole calls under index 0 without ids",
      [piece({ index: 0, ...f("one", "{\"x\":1}") }), piece({ index: 0, ...f("one", "{\"x\":2}") })],
      [["one", "{\"x\":1}"], ["one", "{\"x\":2}"]]
    ],
    [
      "calls without index and id",
      [piece(f("one", "{\"x\"")), piece(f(undefined, ":1}")), piece(f("two"), f("three", "{}"))],
      [["one", "{\"x\":1}"], ["two", "{}"], ["three", "{}"]]
    ],
    [
      "the name repeated with each piece, and an empty piece",
      [
        piece({ index: 0, id: "a", ...f("one", "") }),
        piece({ index: 0, id: "a", ...f("one", "{\"x\":") }),
        piece({ index: 0, id: "a", ...f("one", "1}") }),
        piece({ index: 0, id: "a", ...f("", "") }),
        piece({ index: 0, id: null, ...f("one", null) })
      ],
      [["one", "{\"x\":1}"]]
    ],
    [
      "alternating pieces of two calls, and the name in pieces",
      [
        piece({ index: 0, id: "a", ...f("get_", "") }, { index: 1, id: "b", ...f("two", "{") }),
        piece({ index: 0, ...f("price", "") }, { index: 1, ...f(undefined, "}") }),
        piece({ index: 0, ...f(undefined, "{}") })
      ],
      [["get_price", "{}"], ["two", "{}"]]
    ],
    ["arguments as an object", [piece({ index: 0, ...f("one", { x: 1 }) })], [["one", "{\"x\":1}"]]],
    ["arguments that are not JSON", [piece({ index: 0, ...f("one", "{x") })], [["one", "{x"]]],
    ["the old form", [{ choice: { delta: { function_call: { name: "one", arguments: "{}" } } } }], [["one", "{}"]]],
    ["no call at all", [piece(), { choice: { delta: { tool_calls: null } } }, { choice: { delta: null } }], []]
  ]
  it.effect.each(cases)("reads %s", ([, acts, calls]) =>
    Effect.gen(function*() {
      const parts = summarizeParts(yield* collectParts(yield* makeReplyingModel(...acts)))
      assert.deepStrictEqual(parts.calls, calls)
      assert.deepInclude(parts.end, { reason: calls.length > 0 ? "Calls" : "Stop" })
    }))

  it.effect("reads both names of reasoning, text in parts, and ignores nulls, comments and unknown chunks", () =>
    Effect.gen(function*() {
      const server = yield* makeReplyingModel(
        { raw: ": waiting\n\n" },
        { data: { choices: [] } },
        { data: null },
        { data: [] },
        { data: 7 },
        { choice: { delta: { content: null, reasoning_content: null, role: "assistant" } } },
        { reasoning: "a", field: "reasoning" },
        { choice: { delta: { reasoning: "b", reasoning_content: "b" } } },
        { choice: { delta: { content: [{ type: "text", text: "x" }, { type: "other" }] } } },
        {
          choice: { delta: { content: "y" }, finish_reason: "stop", usage: { prompt_tokens: 1, completion_tokens: 2 } }
        },
        { usage: { prompt_tokens: -1, completion_tokens: "many" } }
      )
      const { end, reasoning, text } = summarizeParts(yield* collectParts(server))
      assert.strictEqual(reasoning, "ab")
      assert.strictEqual(text, "xy")
      assert.deepInclude(end, { usage: { inputTokens: 1, outputTokens: 2, cachedTokens: 0, reasoningTokens: 0 } })
    }))

  it.effect("joins split characters, and replaces or removes lone surrogates and NUL", () =>
    Effect.gen(function*() {
      const bytes = Buffer.from("data: {\"choices\":[{\"delta\":{\"content\":\"가\"}}]}\n\n")
      const server = yield* makeReplyingModel(
        { raw: "data: {\"choices\":[{\"delta\":{\"content\":\"a\\ud83d\"}}]}\n\n" },
        { raw: "data: {\"choices\":[{\"delta\":{\"content\":\"\\udc4d\\ud83d\"}}]}\n\n" },
        { raw: "data: {\"choices\":[{\"delta\":{\"content\":\"\\u0000b\"}}]}\r\n\r\n" },
        { raw: bytes.subarray(0, -12) },
        { raw: bytes.subarray(-12) },
        { raw: "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"}}]}\n\n" }
      )
      const parts = yield* collectParts(server)
      for (const part of parts) if (part._tag === "Text") assert.isTrue(part.text.isWellFormed())
      assert.strictEqual(summarizeParts(parts).text, "a👍\ufffdb가\ufffd")
    }))

  it.effect("accepts a stream without [DONE] after the model's finish reason", () =>
    Effect.gen(function*() {
      for (const rest of ["noDone", "end", "cut"] as const) {
        const server = yield* makeReplyingModel({ text: "A" }, { finish: "stop" }, rest)
        const { end, text } = summarizeParts(yield* collectParts(server))
        assert.strictEqual(text, "A", rest)
        assert.deepInclude(end, { reason: "Stop" })
      }
    }))
})

describe("requests to a provider", () => {
  const turns: ReadonlyArray<ModelTurn> = [
    { _tag: "User", text: "half \ud800", images: [{ mediaType: "image/png", bytes: Uint8Array.from([1, 2, 3]) }] },
    {
      _tag: "Assistant",
      text: "",
      calls: [
        { callId: "1.0", name: "get_price", arguments: "{\"coin\":\"\\ud800\"}" },
        { callId: "1.1", name: "not a name!", arguments: "no json" }
      ]
    },
    { _tag: "Result", callId: "1.1", name: "not a name!", ok: false, text: "{}" },
    { _tag: "Result", callId: "1.0", name: "get_price", ok: true, text: "{\"price\":1}" },
    { _tag: "Assistant", text: "It is 1.", calls: [] },
    { _tag: "User", text: "And now?", images: [] },
    { _tag: "Assistant", text: "Looking.", calls: [{ callId: "1.0", name: "get_price", arguments: "{}" }] },
    { _tag: "Result", callId: "1.0", name: "get_price", ok: true, text: "2" }
  ]

  it.effect("chat: have unique ids, valid names and arguments, images as data URLs, and ask for usage", () =>
    Effect.gen(function*() {
      const server = yield* makeReplyingModel({ text: "A" })
      yield* collectParts(server, { turns, maxOutputTokens: 77 })
      const { body, headers, path } = server.log()[0]!
      assert.strictEqual(path, "/v1/chat/completions")
      assert.strictEqual(headers["authorization"], `Bearer ${key}`)
      assert.deepInclude(body, { model: "a-model", stream: true, max_tokens: 77 })
      assert.deepStrictEqual(body?.["stream_options"], { include_usage: true })
      assert.deepStrictEqual(body?.["messages"], [
        { role: "system", content: "You are a market analyst." },
        {
          role: "user",
          content: [
            { type: "text", text: "half \ufffd" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } }
          ]
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { type: "function", id: "call00001", function: { name: "get_price", arguments: "{\"coin\":\"\ufffd\"}" } },
            { type: "function", id: "call00002", function: { name: "not_a_name_", arguments: "{}" } }
          ]
        },
        { role: "tool", tool_call_id: "call00002", content: "{}" },
        { role: "tool", tool_call_id: "call00001", content: "{\"price\":1}" },
        { role: "assistant", content: "It is 1." },
        { role: "user", content: "And now?" },
        {
          role: "assistant",
          content: "Looking.",
          tool_calls: [{ type: "function", id: "call00003", function: { name: "get_price", arguments: "{}" } }]
        },
        { role: "tool", tool_call_id: "call00003", content: "2" }
      ])
    }))

  it.effect("responses: send the turns as items, and disable storage", () =>
    Effect.gen(function*() {
      const server = yield* makeReplyingModel({ text: "A" })
      yield* collectParts(server, { turns }, { api: "responses", reasoningEffort: "high", readsImages: false })
      const { body, path } = server.log()[0]!
      assert.strictEqual(path, "/v1/responses")
      assert.deepInclude(body, { store: false, stream: true, max_output_tokens: 1000 })
      assert.deepStrictEqual(body?.["reasoning"], { effort: "high", summary: "auto" })
      // The cast is checked by the assertion below, which compares the values.
      const input = body?.["input"] as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(input.map(({ call_id, role, type }) => [type ?? role, call_id]), [
        ["user", undefined],
        ["function_call", "call00001"],
        ["function_call", "call00002"],
        ["function_call_output", "call00002"],
        ["function_call_output", "call00001"],
        ["assistant", undefined],
        ["user", undefined],
        ["assistant", undefined],
        ["function_call", "call00003"],
        ["function_call_output", "call00003"]
      ])
      assert.include(JSON.stringify(input[0]), "1 image not shown")
    }))

  it.effect("send every tool as a function with an object schema without references", () =>
    Effect.gen(function*() {
      const { callableEntries, makeCatalogue } = yield* Effect.promise(() => import("@tapeline/core/engine"))
      const { specifications } = yield* Effect.promise(() => import("@tapeline/core/specifications"))
      const server = yield* makeReplyingModel({ text: "A" })
      yield* collectParts(server, { tools: callableEntries(makeCatalogue(specifications)) })
      // The cast is checked by the assertions below, which read the fields.
      const tools = server.log()[0]!.body?.["tools"] as ReadonlyArray<{
        readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
      }>
      assert.strictEqual(tools.length, specifications.length)
      for (const { function: { description, name, parameters } } of tools) {
        assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/u)
        assert.isAtMost(description.length, 1_024)
        assert.deepInclude(parameters, { type: "object" })
        const json = JSON.stringify(parameters)
        assert.notMatch(json, /"(\$ref|\$defs|oneOf|allOf|not|patternProperties|additionalProperties)":/u, name)
        // Google's servers accept one type in a schema, and no null in a list of values.
        assert.notMatch(json, /"type":\[|"null"|null\]/u, name)
        assert.notMatch(json, /"anyOf":(?!\[\{"type":"\w+"\}(,\{"type":"\w+"\})+\])/u, name)
      }
    }))

  it.effect("send a key only if one is configured, and use OpenAI's own name for the output limit", () =>
    Effect.gen(function*() {
      const server = yield* makeReplyingModel({ text: "A" })
      yield* collectParts(server, {}, { apiKey: undefined, outputLimitField: "max_completion_tokens" })
      const { body, headers } = server.log()[0]!
      assert.isUndefined(headers["authorization"])
      assert.deepInclude(body, { max_completion_tokens: makeModelRequest().maxOutputTokens })
      assert.notProperty(body, "max_tokens")
    }))
})
