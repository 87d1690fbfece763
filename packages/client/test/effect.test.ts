import { assert, it } from "@effect/vitest"
import { Cause, ConfigProvider, Effect, Exit, Fiber, Stream } from "effect"
import { applyEvent, layerConfig, Tapeline, toEffectClient } from "../src/effect.ts"
import {
  envelopeResponse,
  failFetch,
  jsonResponse,
  key,
  makeTestClient,
  neverResolve,
  problemResponse,
  type Responder,
  streamResponse
} from "./support/fakeService.ts"

const effects = (answering: Responder) => {
  const { requests, client } = makeTestClient(answering)
  return { requests, client: toEffectClient(client) }
}

const lines = ([
  ["conversation", { conversation_id: 56, lang: "en", mode: "analyst" }],
  ["delta", { offset: 0, text: "All " }],
  ["delta", { offset: 4, text: "said." }],
  ["done", { conversation_id: 56, outcome: "failed", lang: "en", took_ms: 5, credits_used: 0, credits_left: 80 }]
] as const).map(([kind, data], i) => `id: 12-${i + 1}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)

it.live("calls are effects whose errors can be caught by tag", () =>
  Effect.gen(function*() {
    const answers = [
      () => envelopeResponse({ coin: "BTC", price: 5 }),
      () => problemResponse(402, "over_limit", { price: 20 }),
      () => envelopeResponse({ error: { code: "no_data", message: "none", retryable: false } })
    ]
    const { requests, client } = effects(() => answers.shift()!())
    const price = client.tools.get_price({ coin: "BTC" }, { lang: "ko" }).pipe(
      Effect.map(({ data }) => `${data.price}`),
      Effect.catchTag("OverLimit", ({ price }) => Effect.succeed(`costs ${price}`)),
      Effect.catchTag("CallFailed", ({ code, message }) => Effect.succeed(`${code}: ${message}`))
    )
    assert.deepStrictEqual([yield* price, yield* price, yield* price], ["5", "costs 20", "no_data: none"])
    assert.strictEqual(requests[0]?.headers.get("x-lang"), "ko")
    assert.strictEqual(new Set(requests.map(({ headers }) => headers.get("idempotency-key"))).size, 3)
  }))

it.live("an interrupted call aborts its request", () =>
  Effect.gen(function*() {
    const { requests, client } = effects(neverResolve)
    const fiber = yield* Effect.forkChild(client.usage(), { startImmediately: true })
    while (requests.length === 0) yield* Effect.yieldNow
    yield* Fiber.interrupt(fiber)
    assert.isTrue(requests[0]?.signal.aborted)
  }))

it.live("an answer stream survives a disconnect, and aborts its request when its reader stops", () =>
  Effect.gen(function*() {
    const { requests, client } = effects(({ headers }, n) =>
      n === 0
        ? streamResponse(lines.slice(0, 2), "broken")
        : streamResponse(lines.slice(Number(headers.get("last-event-id")?.slice(3) ?? 0)))
    )
    const answer = client.agent.stream({ message: "why?" })
    assert.strictEqual(yield* Stream.runFold(answer, () => "", applyEvent), "All said.")
    assert.strictEqual(requests.length, 2)
    yield* Stream.runDrain(Stream.take(answer, 1))
    assert.isTrue(requests[2]?.signal.aborted)
    const silent = effects(() => streamResponse(lines.slice(0, 1), "silent"))
    const reading = yield* Effect.forkChild(Stream.runDrain(silent.client.agent.stream({ message: "why?" })))
    while (silent.requests.length === 0) yield* Effect.yieldNow
    yield* Fiber.interrupt(reading)
    assert.isTrue(silent.requests[0]?.signal.aborted)
  }))

it.live("client errors are typed failures; invalid options are a defect", () =>
  Effect.gen(function*() {
    const unauthorizedEffects = effects(() => problemResponse(401, "invalid_key"))
    const failed = yield* Effect.flip(Stream.runDrain(unauthorizedEffects.client.agent.resume(56)))
    assert.strictEqual(failed._tag, "InvalidKey")
    const connectionError = yield* Effect.flip(effects(() => failFetch()).client.conversations.list())
    assert.strictEqual(connectionError._tag, "ConnectionLost")
    const requestIdError = yield* Effect.exit(unauthorizedEffects.client.usage({}, { request_id: "no\nline" }))
    assert.isTrue(Exit.isFailure(requestIdError) && Cause.hasDies(requestIdError.cause))
    const { requests, client } = effects(() => jsonResponse({ messages: [], next_cursor: null }))
    assert.deepStrictEqual(yield* Stream.runCollect(client.conversations.messages(7)), [])
    yield* client.conversations.read(7, { limit: 2 }, { lang: "ru" })
    yield* client.openapi({ lang: "ru" })
    assert.deepStrictEqual(requests.slice(1).map(({ headers }) => headers.get("x-lang")), ["ru", "ru"])
  }))

it.effect("the Tapeline service is built from TAPELINE_URL and TAPELINE_API_KEY", () =>
  Effect.gen(function*() {
    const readClient = (env: Record<string, string>) =>
      Effect.provide(Tapeline, layerConfig).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
      )
    const client = yield* readClient({ TAPELINE_URL: "http://127.0.0.1:8787", TAPELINE_API_KEY: key })
    assert.isFunction(client.tools.get_price)
    assert.isTrue(Exit.isFailure(yield* Effect.exit(readClient({ TAPELINE_URL: "http://127.0.0.1:8787" }))))
  }))
