import { assert, describe, it } from "@effect/vitest"
import { Embeddings } from "@tapeline/core/analysis"
import { layerOpenAiEmbeddings, type OpenAiEmbeddingsOptions } from "@tapeline/openai"
import { embeddingsContract } from "@tapeline/testing/contracts/embeddings"
import type { FakeReply } from "@tapeline/testing/fakeModel"
import { Effect, Layer, Redacted } from "effect"
import { key, makeFakeModel } from "./support/fakeModel.ts"

const embeddingsAt = (
  { baseUrl }: { readonly baseUrl: string },
  options: Partial<OpenAiEmbeddingsOptions> = {}
) => layerOpenAiEmbeddings({ model: "an-embedder", dimension: 8, baseUrl, apiKey: Redacted.make(key), ...options })

embeddingsContract("openai", Layer.unwrap(Effect.map(makeFakeModel([{}]), (server) => embeddingsAt(server))))

const embedAt = (
  server: { readonly baseUrl: string },
  texts: ReadonlyArray<string>,
  options: Partial<OpenAiEmbeddingsOptions> = {}
) => Effect.flatMap(Embeddings, ({ embed }) => embed(texts)).pipe(Effect.provide(embeddingsAt(server, options)))

const errorOf = (reply: FakeReply, options: Partial<OpenAiEmbeddingsOptions> = {}) =>
  Effect.scoped(
    Effect.flatMap(makeFakeModel([reply]), (server) => Effect.flip(embedAt(server, ["a secret text", "b"], options)))
  )

const answering = (...vectors: ReadonlyArray<unknown>): FakeReply => ({
  body: { data: vectors.map((embedding, index) => ({ index, embedding })) }
})

describe("requests for embeddings", () => {
  it.effect("are split by number and bytes of texts, and skip texts without words", () =>
    Effect.gen(function*() {
      const server = yield* makeFakeModel([{}])
      const texts = [
        ...Array.from({ length: 100 }, (_, i) => `short ${i}`),
        "?!",
        "",
        ...Array.from({ length: 70 }, (_, i) => `${"가".repeat(5_000)} ${i}`)
      ]
      const vectors = yield* embedAt(server, texts)
      assert.isTrue(vectors[100]!.every((x) => x === 0) && vectors[101]!.every((x) => x === 0))
      // The cast is checked by the assertion below, which compares the values.
      const inputs = server.log().map(({ body }) => body?.["input"] as ReadonlyArray<string>)
      assert.deepStrictEqual(inputs.map(({ length }) => length).sort((a, b) => a - b), [8, 31, 35, 96])
      for (const input of inputs) {
        assert.isAtMost(input.reduce((sum, text) => sum + Buffer.byteLength(text), 0), 250_000)
        for (const text of input) assert.isTrue(Buffer.byteLength(text) <= 8_000 && text.isWellFormed())
      }
      assert.deepInclude(server.log()[0]!.body, { model: "an-embedder", encoding_format: "float" })
      assert.notProperty(server.log()[0]!.body, "dimensions")
    }))

  it.effect("set the dimension for models that support it; the model name contains dimension and rule", () =>
    Effect.gen(function*() {
      const server = yield* makeFakeModel([{}])
      const options = { model: "text-embedding-3-small", dimension: 16 }
      assert.strictEqual((yield* embedAt(server, ["a"], options))[0]!.length, 16)
      assert.deepInclude(server.log()[0]!.body, { dimensions: 16 })
      const { model } = yield* Effect.provide(Embeddings, embeddingsAt(server, options))
      assert.strictEqual(model, "text-embedding-3-small/16/8000")
      const long = yield* Effect.provide(Embeddings, embeddingsAt(server, { model: `hf.co/${"x".repeat(90)}` }))
      assert.isAtMost(long.model.length, 64)
      const large = yield* Effect.provide(
        Embeddings,
        embeddingsAt(server, { model: "text-embedding-3-large", dimension: undefined })
      )
      assert.strictEqual(large.dimension, 3_072)
    }))

  it.effect.each(
    [
      ["too few vectors", answering([1, 0, 0, 0, 0, 0, 0, 0]), "1 vectors for 2 texts"],
      ["vectors of another dimension", answering([1, 0], [0, 1]), "OPENAI_EMBEDDING_DIMENSION"],
      ["no numbers", answering([1, null, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0]), "an invalid number"],
      ["no list", answering("AAAA", "AAAA"), "not a list"],
      ["one place twice", {
        body: { data: [0, 0].map((index) => ({ index, embedding: [1, 0, 0, 0, 0, 0, 0, 0] })) }
      }, "an unknown order"],
      ["no data", { body: { ok: true } }, "no vectors"],
      ["a page", { body: "<html>" }, "no vectors"]
    ] as const
  )("fail as malformed for %s", ([, reply, expectedMessage]) =>
    Effect.gen(function*() {
      const failure = yield* errorOf(reply)
      assert.deepInclude(failure, { _tag: "SourceUnavailable", failure: "malformed" })
      assert.include(JSON.stringify(failure), expectedMessage)
    }))

  it.effect.each(
    [
      [{ status: 429, headers: { "retry-after": "3" } }, { failure: "rate_limited", retryAfterMs: 3_000 }],
      [{ status: 500 }, { failure: "unreachable", retryable: true }],
      [{ status: 401 }, { failure: "not_configured", retryable: false }],
      [
        { status: 400, body: { error: { message: "maximum context length is 8: a secret text" } } },
        { failure: "not_configured", retryable: false }
      ],
      [
        { status: 400, body: { error: { code: "content_filter", message: "a secret text" } } },
        { failure: "not_configured", retryable: false }
      ]
    ] as const
  )("map %j to %j, without the key or the text in the error", ([reply, expected]) =>
    Effect.gen(function*() {
      const failure = yield* errorOf(reply)
      assert.deepInclude(failure, expected)
      assert.notInclude(JSON.stringify(failure), key)
      assert.notInclude(JSON.stringify(failure), "secret")
    }))

  it.live("time out if the server is silent", () =>
    Effect.gen(function*() {
      const failure = yield* errorOf({ silent: true }, { timeouts: { firstByteMs: 100 } })
      assert.deepInclude(failure, { failure: "unreachable" })
    }))

  it.effect("require a dimension if the model's is unknown", () =>
    Effect.gen(function*() {
      for (const dimension of [undefined, 0, 4_097, 1.5]) {
        const failure = yield* Effect.flip(Effect.provide(Embeddings, layerOpenAiEmbeddings({ model: "x", dimension })))
        assert.include(failure.message, "dimension")
      }
    }))
})
