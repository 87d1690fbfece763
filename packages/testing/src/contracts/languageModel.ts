import { assert, layer as withLayer } from "@effect/vitest"
import { LanguageModel, type ModelPart, type ModelRequest, type ModelTurn } from "@tapeline/core/agent"
import { Effect, type Layer, Stream } from "effect"
import { makeModelRequest } from "../agent/modelRequest.ts"

const collectAnswer = (request: ModelRequest) =>
  Effect.flatMap(LanguageModel, (model) => Stream.runCollect(model.stream(request)))

const makeUserTurn = (text: string): ModelTurn => ({ _tag: "User", text, images: [] })

const png = Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10])

const unusualConversations: ReadonlyArray<readonly [name: string, turns: ReadonlyArray<ModelTurn>]> = [
  ["nothing", [makeUserTurn("")]],
  ["lone surrogates and NUL", [makeUserTurn("\ud800 and \udc00 and \0")]],
  ["a long text", [makeUserTurn("가격 ".repeat(20_000))]],
  ["an image", [{ _tag: "User", text: "What is this?", images: [{ mediaType: "image/png", bytes: png }] }]],
  ["only an image", [{ _tag: "User", text: "", images: [{ mediaType: "image/png", bytes: png }] }]],
  ["an empty answer", [makeUserTurn("a"), { _tag: "Assistant", text: "", calls: [] }, makeUserTurn("b")]],
  [
    "invalid calls with results",
    [
      makeUserTurn("a"),
      {
        _tag: "Assistant",
        text: "",
        calls: [
          { callId: "1.0", name: "get price!", arguments: "{ not json" },
          { callId: "1.1", name: "", arguments: "[1]" }
        ],
        providerState: "{ not json"
      },
      { _tag: "Result", callId: "1.0", name: "get price!", ok: false, text: "{\"code\":\"unknown_tool\"}" },
      { _tag: "Result", callId: "1.1", name: "", ok: false, text: "\ud800" }
    ]
  ],
  [
    "the same call ids in two answers",
    [1, 2].flatMap((n): ReadonlyArray<ModelTurn> => [
      makeUserTurn(`price ${n}`),
      {
        _tag: "Assistant",
        text: "",
        calls: [{ callId: "1.0", name: "get_price", arguments: "{\"coin\":\"BTC\"}" }],
        providerState: "{\"model\":\"another model\"}"
      },
      { _tag: "Result", callId: "1.0", name: "get_price", ok: true, text: `{"price":${n}}` },
      { _tag: "Assistant", text: `It is ${n}.`, calls: [] }
    ])
  ]
]

const assertValidAnswer = (parts: ReadonlyArray<ModelPart>): void => {
  assert.strictEqual(parts.filter(({ _tag }) => _tag === "End").length, 1)
  const last = parts.at(-1)
  assert.strictEqual(last?._tag, "End")
  if (last?._tag === "End" && last.usage !== null) {
    for (const n of Object.values(last.usage)) assert.isTrue(Number.isSafeInteger(n) && n >= 0)
    assert.isAtMost(last.usage.cachedTokens, last.usage.inputTokens)
    assert.isAtMost(last.usage.reasoningTokens, last.usage.outputTokens)
  }
  for (const part of parts) {
    if (part._tag === "End") continue
    if (part._tag === "Call") {
      assert.isAbove(part.name.length, 0)
      continue
    }
    assert.isAbove(part.text.length, 0)
    assert.isTrue(part.text.isWellFormed())
    assert.notInclude(part.text, "\0")
  }
}

/**
 * Defines the contract tests of `LanguageModel`. The tests cover successful responses, and do not compare the text of a
 * response.
 */
export const languageModelContract = <E>(
  name: string,
  layer: Layer.Layer<LanguageModel, E>,
  { timeoutMs = 30_000 }: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { timeout: timeoutMs, excludeTestServices: true })(`LanguageModel: ${name}`, (it) => {
    it.effect("reports its name and context size", () =>
      Effect.gen(function*() {
        const model = yield* LanguageModel
        assert.match(model.name, /^[\x20-\x7e]{1,200}$/u)
        assert.isTrue(Number.isSafeInteger(model.contextTokens) && model.contextTokens > 0)
      }), timeoutMs)

    it.effect("ends each answer once, as the last part, without empty texts or lone surrogates", () =>
      Effect.gen(function*() {
        assertValidAnswer(yield* collectAnswer(makeModelRequest()))
        assertValidAnswer(yield* collectAnswer(makeModelRequest({ tools: [] })))
        for (const [description, turns] of unusualConversations) {
          const parts = yield* collectAnswer(makeModelRequest({ turns, step: 2 }))
          assert.isAbove(parts.length, 0, description)
          assertValidAnswer(parts)
        }
      }), timeoutMs)

    it.effect("makes no calls for suggestions or a summary", () =>
      Effect.gen(function*() {
        for (const purpose of ["suggest", "summary"] as const) {
          const parts = yield* collectAnswer(makeModelRequest({ purpose, tools: [] }))
          assertValidAnswer(parts)
          assert.isFalse(
            parts.some(({ _tag }) =>
              _tag === "Call"
            ),
            purpose
          )
        }
      }), timeoutMs)

    it.effect("sends a new request for each run of a stream", () =>
      Effect.gen(function*() {
        const stream = (yield* LanguageModel).stream(makeModelRequest())
        const [one, other] = yield* Effect.all([Stream.runCollect(stream), Stream.runCollect(stream)], {
          concurrency: 2
        })
        assertValidAnswer(one)
        assertValidAnswer(other)
      }), timeoutMs)

    it.effect("can be interrupted after the first part and used again", () =>
      Effect.gen(function*() {
        const { stream } = yield* LanguageModel
        for (let i = 0; i < 3; i++) {
          assert.strictEqual((yield* Stream.runCollect(Stream.take(stream(makeModelRequest()), 1))).length, 1)
        }
        assertValidAnswer(yield* collectAnswer(makeModelRequest()))
      }), timeoutMs)
  })
