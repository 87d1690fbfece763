import { assert, it } from "@effect/vitest"
import { LanguageModel, ModelRefused } from "@tapeline/core/agent"
import { Embeddings } from "@tapeline/core/news"
import { layerEmbeddings, layerLanguageModel, readSettings } from "@tapeline/server"
import { requestOf } from "@tapeline/testing/contracts/languageModel"
import { startFakeModel } from "@tapeline/testing/fakeModel"
import { Effect, Layer, Stream } from "effect"

const offline = Layer.succeed(LanguageModel, {
  name: "offline",
  contextTokens: 1_000,
  readsImages: false,
  stream: () => Stream.fail(new ModelRefused({ detail: "not asked" }))
})

it.effect("without a key and an address nobody is asked; with an address the model and the embeddings there are", () =>
  Effect.gen(function*() {
    const none = yield* readSettings({})
    const plain = yield* Effect.provide(LanguageModel, layerLanguageModel(none, offline))
    assert.strictEqual(plain.name, "offline")
    assert.match((yield* Effect.provide(Embeddings, layerEmbeddings(none))).model, /^local/u)

    const server = yield* Effect.acquireRelease(
      Effect.promise(() => startFakeModel({ script: [{ acts: [{ text: "A" }] }] })),
      ({ close }) => Effect.promise(close)
    )
    const settings = yield* readSettings({
      OPENAI_BASE_URL: server.baseUrl,
      OPENAI_MODEL: "a-model",
      OPENAI_EMBEDDING_MODEL: "an-embedder",
      OPENAI_EMBEDDING_DIMENSION: "8"
    })
    const parts = yield* Effect.flatMap(LanguageModel, ({ stream }) => Stream.runCollect(stream(requestOf()))).pipe(
      Effect.provide(layerLanguageModel(settings, offline))
    )
    assert.deepInclude(parts, { _tag: "Text", text: "A" })
    const vectors = yield* Effect.flatMap(Embeddings, ({ embed }) => embed(["a"])).pipe(
      Effect.provide(layerEmbeddings(settings))
    )
    assert.strictEqual(vectors[0]?.length, 8)
    assert.deepStrictEqual(server.log().map(({ body }) => body?.["model"]), ["a-model", "an-embedder"])
  }))
