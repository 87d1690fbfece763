import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, it } from "@effect/vitest"
import { layerAgent, layerEngine, layerFibreRunner, Toolbox } from "@tapeline/core"
import { LanguageModel, ModelRefused } from "@tapeline/core/agent"
import { Embeddings } from "@tapeline/core/analysis"
import { ignorePaths } from "@tapeline/document/validateResponses"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { layerEmbeddings, layerLanguageModel, readSettings } from "@tapeline/server"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { makeModelRequest } from "@tapeline/testing/agent/modelRequest"
import { startFakeModel } from "@tapeline/testing/fakeModel"
import { Context, Effect, Layer, Redacted, Stream } from "effect"
import { HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"

// The fake model server is on this machine, so the requests of the test process reach it.
ignorePaths("/v1/chat/completions", "/v1/embeddings")

const offline = Layer.succeed(LanguageModel, {
  name: "offline",
  contextTokens: 1_000,
  readsImages: false,
  stream: () => Stream.fail(new ModelRefused({ detail: "this model receives no request" }))
})

it.effect("uses offline models without a key and an address, and the provider's models with an address", () =>
  Effect.gen(function*() {
    const emptySettings = yield* readSettings({})
    const layerUnpriced = yield* Effect.provide(LanguageModel, layerLanguageModel(emptySettings, offline))
    assert.strictEqual(layerUnpriced.name, "offline")
    assert.match((yield* Effect.provide(Embeddings, layerEmbeddings(emptySettings))).model, /^local/u)

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
    const parts = yield* Effect.flatMap(LanguageModel, ({ stream }) => Stream.runCollect(stream(makeModelRequest())))
      .pipe(
        Effect.provide(layerLanguageModel(settings, offline))
      )
    assert.deepInclude(parts, { _tag: "Text", text: "A" })
    const vectors = yield* Effect.flatMap(Embeddings, ({ embed }) => embed(["a"])).pipe(
      Effect.provide(layerEmbeddings(settings))
    )
    assert.strictEqual(vectors[0]?.length, 8)
    assert.deepStrictEqual(server.log().map(({ body }) => body?.["model"]), ["a-model", "an-embedder"])
  }))

const serviceOn = (baseUrl: string) =>
  Layer.unwrap(
    Effect.map(readSettings({ OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: "a-model" }), (settings) =>
      serve(layerRoutes({ corsOrigins: [] })).pipe(
        Layer.provideMerge(NodeHttpServer.layer(() =>
          makeNodeServer(), { host: "127.0.0.1", port: 0 })),
        Layer.provide(Layer.succeed(AdminToken, Redacted.make("administration-token-of-this-test"))),
        Layer.provide(Layer.succeed(Readiness, { check: Effect.void })),
        Layer.provide(Draining.layer),
        Layer.provide(layerAgent({ runner: layerFibreRunner })),
        Layer.provide(layerLanguageModel(settings, offline)),
        Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer([]) })),
        Layer.provideMerge(MemoryStores)
      ))
  )

it.effect("a cancel over HTTP ends the stream and closes the connection to the model without a delay", () =>
  Effect.gen(function*() {
    const model = yield* Effect.acquireRelease(
      Effect.promise(() => startFakeModel({ script: [{ acts: [{ text: "I begin" }, "stall"] }] })),
      ({ close }) => Effect.promise(close)
    )
    const services = yield* Layer.build(serviceOn(model.baseUrl))
    const { key } = yield* Effect.provideContext(createKeyedAccount(), services)
    const base = HttpServer.formatAddress(Context.get(services, HttpServer.HttpServer).address)
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const response = yield* Effect.promise(() =>
      fetch(`${base}/v1/agent/stream`, { method: "POST", headers, body: JSON.stringify({ message: "why?" }) })
    )
    let text = ""
    const bodyRead = (async () => {
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) text += part
    })()
    yield* Effect.promise(() => model.waitFor((log) => log.find(({ writes }) => writes > 0)))
    // Text of the model is shown after a delay, so the test clock must advance before the text can be read.
    const moment = Effect.andThen(TestClock.adjust("5 millis"), Effect.promise(() => setImmediate()))
    yield* Effect.repeat(moment, { until: () => text.includes("I begin") })
    const id = /"conversation_id":(\d+)/.exec(text)?.[1]
    const cancelled = yield* Effect.promise(() => fetch(`${base}/v1/agent/cancel/${id}`, { method: "POST", headers }))
    assert.deepStrictEqual(yield* Effect.promise(() => cancelled.json()), { cancelled: true, running: false })
    yield* Effect.promise(() => model.waitFor((log) => log.find(({ closedBy }) => closedBy === "client")))
    yield* Effect.promise(() => bodyRead)
    assert.match(text, /event: done\ndata: .*"outcome":"cancelled".*\n\n$/)
  }))
