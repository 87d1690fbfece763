import { assert, describe, it } from "@effect/vitest"
import { AdminStore, type EventFields, type EventType, layerWebhookDeliveries, Webhooks } from "@tapeline/core"
import { ignorePaths } from "@tapeline/document/validateResponses"
import { MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Redacted, Result } from "effect"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { parseNoProxy } from "../src/proxy/noProxy.ts"
import { layerWebhookSender } from "../src/webhooks/layerWebhooks.ts"
import { pollUntil } from "./support/service.ts"
import { type ReceivedMessage, startReceiver, type WebhookReceiver } from "./support/webhookReceiver.ts"

// The test process sends requests to its own receivers, whose responses the OpenAPI document does not describe.
ignorePaths("/hook")

const sender = layerWebhookSender({
  isPrivateAllowed: Result.getOrThrow(parseNoProxy("127.0.0.1")),
  proxies: undefined
})
const deliveries = layerWebhookDeliveries({ intervalMs: 20 })

/** Two processes that deliver the events of one database. */
const twoProcesses = Layer.mergeAll(Webhooks.layer, deliveries, Layer.fresh(deliveries)).pipe(
  Layer.provide(sender),
  Layer.provideMerge(MemoryStores)
)

const recordEvent = (type: EventType, after: EventFields | null = null) =>
  Effect.flatMap(AdminStore, (store) => store.record([{ type, account: 7, target: null, before: null, after }]))

const create = (url: string, types: ReadonlyArray<EventType> | null = ["account.created"]) =>
  Effect.flatMap(Webhooks, (webhooks) => webhooks.create({ url, types, description: null }))

const awaitMessages = (receiver: WebhookReceiver, count: number) =>
  pollUntil("messages", Effect.sync(() => receiver.messages), (messages) => messages.length >= count)

const awaitState = (id: number, state: string, count = 1) =>
  Effect.gen(function*() {
    const webhooks = yield* Webhooks
    return yield* pollUntil(
      "deliveries",
      webhooks.deliveries(id, { after: 0, limit: 1_000 }),
      (all) => all.filter((one) => one.state === state).length >= count
    )
  })

interface Message {
  readonly type: string
  readonly timestamp: string
  readonly data: { readonly [field: string]: unknown; readonly after: Record<string, unknown> }
}

/** Verifies a message as a receiver does, and returns its parsed body. */
const verify = (secret: Redacted.Redacted<string>, { body, headers }: ReceivedMessage): Message =>
  // The library does not type the body, whose form the first test checks.
  new Webhook(Redacted.value(secret)).verify(body, headers) as Message

describe("the deliveries to webhooks", () => {
  it.live("are signed as the library standardwebhooks verifies, and contain the event", () =>
    Effect.gen(function*() {
      const receiver = yield* startReceiver
      const { secret, webhook } = yield* create(receiver.url)
      yield* recordEvent("account.created", { name: "a" })
      const [message] = yield* awaitMessages(receiver, 1)
      const [delivery] = yield* awaitState(webhook.id, "delivered")
      const [event] = yield* Effect.flatMap(AdminStore, (store) =>
        store.events({ types: ["account.created"], after: 0, limit: 1 }))
      const body = verify(secret, message!)
      const time = new Date(event!.time).toISOString()
      assert.deepStrictEqual(body, {
        type: "account.created",
        timestamp: time,
        data: {
          id: event!.id,
          time,
          type: "account.created",
          actor: "service",
          account: 7,
          target: null,
          before: null,
          after: { name: "a" },
          request_id: null,
          address: null
        }
      })
      assert.strictEqual(message!.headers["webhook-id"], `evt_${event!.id}`)
      assert.strictEqual(message!.headers["content-type"], "application/json")
      assert.deepInclude(delivery, { state: "delivered", attempts: 1, lastStatus: 204, nextAttemptAt: null })
      const changed = { ...message!, body: message!.body.replace("\"a\"", "\"b\"") }
      assert.throws(() =>
        verify(secret, changed), /No matching signature/)
      const other = yield* create(receiver.url)
      assert.throws(() => verify(other.secret, message!), /No matching signature/)
    }).pipe(Effect.provide(twoProcesses)))

  it.live("carry every JSON text unchanged, also NUL, lone surrogates and line separators", () =>
    Effect.gen(function*() {
      const receiver = yield* startReceiver
      const { secret, webhook } = yield* create(receiver.url)
      const texts = [
        "\0",
        "\\u0000",
        "\ud800",
        "\u2028\u2029",
        "😀 é",
        ...fc.sample(fc.string({ unit: "binary", maxLength: 40 }), 40)
      ]
      yield* Effect.forEach(texts, (text) => recordEvent("account.created", { text }))
      yield* awaitState(webhook.id, "delivered", texts.length)
      const received = receiver.messages.map((message) => verify(secret, message).data.after["text"])
      assert.deepStrictEqual(received, texts)
    }).pipe(Effect.provide(twoProcesses)))

  it.live("arrive once and in the order of the events, from two processes", () =>
    Effect.gen(function*() {
      const receiver = yield* startReceiver
      receiver.respondWith((response) => void setTimeout(() => response.writeHead(200).end(), 1))
      const { secret, webhook } = yield* create(receiver.url)
      const numbers = Array.from({ length: 100 }, (_, n) => n)
      for (const n of numbers) {
        yield* recordEvent("account.created", { n })
        yield* recordEvent("account.updated", { n })
        if (n % 10 === 0) yield* Effect.sleep(5)
      }
      yield* awaitState(webhook.id, "delivered", numbers.length)
      assert.deepStrictEqual(receiver.messages.map((message) => verify(secret, message).data.after["n"]), numbers)
    }).pipe(Effect.provide(twoProcesses)))

  it.live("are sent again with the same id after status 500, and other webhooks do not wait", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const [failing, healthy] = [yield* startReceiver, yield* startReceiver]
      failing.respondWith((response, count) => void response.writeHead(count === 1 ? 500 : 200).end())
      const { secret, webhook } = yield* create(failing.url)
      const other = yield* create(healthy.url)
      yield* recordEvent("account.created")
      yield* awaitState(other.webhook.id, "delivered")
      const [waiting] = yield* pollUntil(
        "the first attempt",
        webhooks.deliveries(webhook.id, { after: 0, limit: 1 }),
        ([delivery]) => delivery?.attempts === 1
      )
      assert.deepInclude(waiting, { state: "waiting", lastStatus: 500 })
      const delay = waiting!.nextAttemptAt! - waiting!.lastAttemptAt!
      assert.isTrue(delay >= 4_000 && delay <= 6_000, `${delay}`)
      yield* webhooks.retry(webhook.id, waiting!.event)
      yield* awaitState(webhook.id, "delivered")
      const [first, second] = failing.messages
      assert.strictEqual(first!.headers["webhook-id"], second!.headers["webhook-id"])
      assert.deepStrictEqual(verify(secret, first!), verify(secret, second!))
    }).pipe(Effect.provide(twoProcesses)))

  it.live("fail at a redirect, and end with a disabled webhook at status 410", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const [redirecting, gone] = [yield* startReceiver, yield* startReceiver]
      redirecting.respondWith((response) => void response.writeHead(307, { location: gone.url }).end())
      const { webhook } = yield* create(redirecting.url)
      yield* recordEvent("account.created")
      yield* pollUntil(
        "the first attempt",
        webhooks.deliveries(webhook.id, { after: 0, limit: 1 }),
        ([delivery]) => delivery?.lastStatus === 307 && delivery.state === "waiting"
      )
      assert.strictEqual(gone.messages.length, 0)
      gone.respondWith((response) => void response.writeHead(410).end())
      const second = yield* create(gone.url)
      yield* recordEvent("account.created")
      yield* pollUntil(
        "the disabled webhook",
        webhooks.webhook(second.webhook.id),
        ({ disabledReason }) => disabledReason === "gone"
      )
      const [event] = yield* Effect.flatMap(AdminStore, (store) =>
        store.events({ types: ["webhook.disabled"], after: 0, limit: 10 }))
      assert.deepInclude(event, { target: `webhook ${second.webhook.id}`, actor: "service", account: null })
      assert.deepInclude(event!.after, { disabled_reason: "gone", url: gone.url.replace(/\?.*/, "") })
      gone.respondWith((response) =>
        void response.writeHead(204).end()
      )
      yield* webhooks.update(second.webhook.id, { isEnabled: true })
      yield* awaitState(second.webhook.id, "delivered")
      assert.strictEqual(gone.messages.length, 2)
    }).pipe(Effect.provide(twoProcesses)))

  it.live("have two signatures while the replaced secret is valid", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const receiver = yield* startReceiver
      const first = yield* create(receiver.url)
      const second = yield* webhooks.rotateSecret(first.webhook.id, 3_600_000)
      yield* recordEvent("account.created")
      const [message] = yield* awaitMessages(receiver, 1)
      assert.strictEqual(message!.headers["webhook-signature"]?.split(" ").length, 2)
      for (const { secret } of [first, second]) verify(secret, message!)
      const third = yield* webhooks.rotateSecret(first.webhook.id, 0)
      yield* webhooks.test(first.webhook.id)
      const [, test] = yield* awaitMessages(receiver, 2)
      assert.deepInclude(verify(third.secret, test!), { type: "webhook.test" })
      assert.throws(() => verify(second.secret, test!), /No matching signature/)
    }).pipe(Effect.provide(twoProcesses)))
})
