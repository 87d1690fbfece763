import { assert, describe, it } from "@effect/vitest"
import {
  AdminStore,
  layerWebhookDeliveries,
  type SendResult,
  StoreUnavailable,
  Webhooks,
  WebhookSender,
  WebhookStore
} from "@tapeline/core/engine"
import { MemoryState, MemoryStores } from "@tapeline/testing"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { attemptResultOf, maxAttempts } from "../../src/engine/webhooks/retrySchedule.ts"

const hourMs = 3_600_000

const respond = (status: number, retryAfter: string | null = null): SendResult => ({
  _tag: "Response",
  status,
  retryAfter
})

/** The attempts that a receiver got: the ids of the events and the times in ms. */
class FakeReceiver {
  readonly attempts: Array<{ readonly id: string; readonly at: number }> = []
  response: (count: number) => SendResult = () => respond(204)
  readonly layer = Layer.succeed(WebhookSender, {
    checkUrl: () => null,
    send: ({ headers }) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        this.attempts.push({ id: headers["webhook-id"]!, at })
        return this.response(this.attempts.length)
      })
  })
}

/** Delivers events with leases that do not lapse while the test advances the clock. */
const withReceiver = <A, E>(
  test: (receiver: FakeReceiver) => Effect.Effect<A, E, AdminStore | MemoryState | WebhookStore | Webhooks>,
  { intervalMs = 2_000 }: { readonly intervalMs?: number } = {}
) =>
  Effect.suspend(() => {
    const receiver = new FakeReceiver()
    const options = { intervalMs, leaseMs: 30 * 86_400_000, metricIntervalMs: 86_400_000 }
    return Effect.provide(
      test(receiver),
      Layer.merge(Webhooks.layer, layerWebhookDeliveries(options)).pipe(
        Layer.provide(receiver.layer),
        Layer.provideMerge(MemoryStores)
      )
    )
  })

const create = Effect.flatMap(Webhooks, (webhooks) =>
  Effect.map(
    webhooks.create({ url: "https://a.example", types: ["account.created"], description: null }),
    ({ webhook }) => webhook.id
  ))

const recordEvent = Effect.flatMap(
  AdminStore,
  (store) => store.record([{ type: "account.created", account: 1, target: null, before: null, after: null }])
)

const readDeliveries = (id: number) =>
  Effect.flatMap(Webhooks, (webhooks) => webhooks.deliveries(id, { after: 0, limit: 100 }))

/** Waits for asynchronous work that the test clock does not control, such as the signature of a message. */
const waitForPromises = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Waits until no webhook is leased, so that no attempt is running. */
const awaitAttempts: Effect.Effect<void, never, MemoryState> = Effect.gen(function*() {
  const { webhooks } = yield* MemoryState
  while ([...webhooks.values()].some(({ leaseUntil }) => leaseUntil > 0)) yield* waitForPromises
})

const advance = (step: `${number} ${"seconds" | "minutes"}`, times = 1) =>
  Effect.forEach(
    Array.from({ length: times }),
    () => Effect.andThen(TestClock.adjust(step), awaitAttempts),
    { discard: true }
  )

describe("the result of an attempt", () => {
  const failures = fc.nat({ max: 100_000 })
  const jitter = fc.double({ min: 0, max: 1, noNaN: true })
  const attempt = fc.integer({ min: 1, max: maxAttempts })

  it("delays the next attempt by a factor of three, up to 20 hours, and within 20 %", () => {
    fc.assert(fc.property(attempt, failures, jitter, (attempt, failures, jitter) => {
      const result = attemptResultOf(respond(500), { event: 1, attempt, failures, jitter, now: 0 })
      const expected = Math.min(5_000 * 3 ** (attempt - 1), 20 * hourMs)
      assert.strictEqual(result.state, attempt === maxAttempts ? "failed" : "waiting")
      if (attempt < maxAttempts) {
        assert.isTrue(result.delayMs >= Math.floor(0.8 * expected) && result.delayMs <= Math.ceil(1.2 * expected))
      }
      assert.isTrue(result.pauseMs >= 800 && result.pauseMs <= 72_000, `${result.pauseMs}`)
    }))
  })

  it("accepts only a status from 200 to 299", () => {
    fc.assert(fc.property(fc.integer({ min: 100, max: 999 }), attempt, (status, attempt) => {
      const { isGone, state } = attemptResultOf(respond(status), {
        event: 1,
        attempt,
        failures: 0,
        jitter: 0.5,
        now: 0
      })
      assert.strictEqual(state === "delivered", status >= 200 && status <= 299)
      assert.strictEqual(isGone, status === 410)
    }))
  })

  it.each(
    [
      ["120", 120_000],
      [" 7 ", 7_000],
      ["Thu, 01 Jan 1970 00:02:00 GMT", 120_000],
      ["999999999", hourMs],
      ["Fri, 01 Jan 2100 00:00:00 GMT", hourMs],
      ["-5", 0],
      ["Mon, 01 Jan 1900 00:00:00 GMT", 0],
      ["soon", 0],
      ["", 0],
      ["1e9", 0]
    ] as const
  )("waits for Retry-After %j for %i ms", (retryAfter, expected) => {
    const options = { event: 1, attempt: 1, failures: 0, jitter: 0.5, now: 0 }
    const { delayMs, pauseMs } = attemptResultOf(respond(429, retryAfter), options)
    assert.deepStrictEqual([delayMs, pauseMs], [Math.max(expected, 5_000), Math.max(expected, 1_000)])
  })
})

describe("the schedule of deliveries", () => {
  it.effect("sends a new event within three seconds", () =>
    withReceiver((receiver) =>
      Effect.gen(function*() {
        yield* create
        yield* recordEvent
        yield* advance("3 seconds")
        assert.strictEqual(receiver.attempts.length, 1)
      })
    ))

  it.effect("tries 13 times over about three days, then fails the delivery", () =>
    withReceiver((receiver) =>
      Effect.gen(function*() {
        receiver.response = () => respond(500)
        const id = yield* create
        yield* recordEvent
        yield* advance("10 minutes", 6 * 24 * 5)
        assert.strictEqual(receiver.attempts.length, 13)
        assert.strictEqual(new Set(receiver.attempts.map(({ id }) => id)).size, 1)
        const totalMs = receiver.attempts.at(-1)!.at - receiver.attempts[0]!.at
        assert.isTrue(totalMs > 58 * hourMs && totalMs < 92 * hourMs, `${totalMs / hourMs} h`)
        assert.deepInclude((yield* readDeliveries(id))[0], { state: "failed", attempts: 13, nextAttemptAt: null })
        assert.isNull((yield* Effect.flatMap(Webhooks, (webhooks) => webhooks.webhook(id))).disabledReason)
      }), { intervalMs: 120_000 }))

  it.effect("disables a webhook after five days of failures, with an event, and continues when it is enabled", () =>
    withReceiver((receiver) =>
      Effect.gen(function*() {
        const [store, webhooks] = yield* Effect.all([AdminStore, Webhooks])
        receiver.response = () => ({ _tag: "NoResponse", error: "timeout" })
        const id = yield* create
        yield* recordEvent
        yield* advance("10 minutes", 6 * 24 * 3)
        yield* recordEvent
        yield* advance("10 minutes", 6 * 24 * 5)
        assert.strictEqual((yield* webhooks.webhook(id)).disabledReason, "failing")
        const disabled = yield* store.events({ types: ["webhook.disabled"], after: 0, limit: 10 })
        assert.strictEqual(disabled.length, 1)
        assert.deepInclude(disabled[0], { target: `webhook ${id}`, actor: "service" })
        yield* recordEvent
        const before = receiver.attempts.length
        yield* advance("10 minutes", 10)
        assert.strictEqual(receiver.attempts.length, before)
        receiver.response = () => respond(200)
        yield* webhooks.update(id, { isEnabled: true })
        yield* advance("10 minutes")
        const states = (yield* readDeliveries(id)).map(({ state }) => state)
        assert.deepStrictEqual(states, ["failed", "failed", "delivered"])
      }), { intervalMs: 120_000 }))

  it.effect("sends other events while one event fails again and again", () =>
    withReceiver((receiver) =>
      Effect.gen(function*() {
        const id = yield* create
        receiver.response = () => respond(receiver.attempts.at(-1)!.id === "evt_2" ? 400 : 204)
        for (let i = 0; i < 5; i++) yield* recordEvent
        yield* advance("3 seconds", 4)
        const states = (yield* readDeliveries(id)).map(({ state }) => state)
        assert.deepStrictEqual(states, ["waiting", "delivered", "delivered", "delivered", "delivered"])
      })
    ))

  it.effect("pauses all deliveries for the time of Retry-After, up to an hour", () =>
    withReceiver((receiver) =>
      Effect.gen(function*() {
        yield* create
        receiver.response = (count) => count === 1 ? respond(429, "600") : respond(503, "999999")
        yield* recordEvent
        yield* recordEvent
        yield* advance("3 seconds", 195)
        assert.strictEqual(receiver.attempts.length, 1)
        yield* advance("3 seconds", 10)
        assert.strictEqual(receiver.attempts.length, 2)
        yield* advance("1 minutes", 58)
        assert.strictEqual(receiver.attempts.length, 2)
        receiver.response = () => respond(200)
        yield* advance("1 minutes", 4)
        assert.strictEqual(receiver.attempts.length, 4)
      })
    ))

  it.effect("sends an event again with the same id after the lease, if its result could not be recorded", () => {
    let isDown = true
    const unavailable = Effect.fail(new StoreUnavailable({ store: "WebhookStore", cause: new Error("down") }))
    const flaky = Layer.effect(
      WebhookStore,
      Effect.map(WebhookStore, (store) => ({
        ...store,
        record: (...parameters: Parameters<typeof store.record>) =>
          Effect.suspend(() => isDown ? unavailable : store.record(...parameters))
      }))
    )
    return Effect.suspend(() => {
      const receiver = new FakeReceiver()
      return Effect.gen(function*() {
        const id = yield* create
        yield* recordEvent
        const { webhooks } = yield* MemoryState
        // Two searches for deliveries are at most 2.5 seconds apart.
        const step = Effect.andThen(TestClock.adjust("3 seconds"), Effect.replicateEffect(waitForPromises, 20))
        yield* step
        while (receiver.attempts.length === 0) yield* waitForPromises
        yield* Effect.replicateEffect(step, 14)
        assert.strictEqual(receiver.attempts.length, 1)
        isDown = false
        yield* TestClock.setTime(webhooks.get(id)!.leaseUntil + 3_000)
        while (receiver.attempts.length === 1) yield* waitForPromises
        yield* awaitAttempts
        assert.deepStrictEqual(receiver.attempts.map(({ id }) => id), ["evt_2", "evt_2"])
        assert.deepInclude((yield* readDeliveries(id))[0], { state: "delivered", attempts: 1 })
      }).pipe(Effect.provide(
        Layer.merge(Webhooks.layer, layerWebhookDeliveries()).pipe(
          Layer.provide(receiver.layer),
          Layer.provide(flaky),
          Layer.provideMerge(MemoryStores)
        )
      ))
    })
  })
})
