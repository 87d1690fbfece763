import { assert, layer as withLayer, type Vitest } from "@effect/vitest"
import {
  AdminStore,
  type AttemptResult,
  type EventType,
  type LeasedWebhook,
  maxWebhooks,
  UnknownDelivery,
  UnknownWebhook,
  WebhookLimit,
  WebhookStore
} from "@tapeline/core/engine"
import { Effect, type Layer, Redacted } from "effect"

const now = 1_900_000_000_000
const leaseMs = 60_000

type Tests = Vitest.MethodsNonLive<AdminStore | WebhookStore>
type Stores = AdminStore | WebhookStore

/** Disables the webhooks of other tests, so that only the new webhook can be leased. */
const newWebhook = (types: ReadonlyArray<EventType> | null = null) =>
  Effect.gen(function*() {
    const store = yield* WebhookStore
    for (const { id } of yield* store.webhooks({ after: 0, limit: 1_000 })) yield* store.remove(id, null)
    return yield* store.create({
      url: "https://receiver.example/hook?token=1",
      description: null,
      types,
      secret: Redacted.make("whsec_first"),
      now
    })
  })

const recordEvent = (type: EventType, target: string | null = null) =>
  Effect.gen(function*() {
    const store = yield* AdminStore
    yield* store.record([{ type, account: null, target, before: null, after: { text: "\\u0000 \ud83d\ude00" } }])
  })

const enqueueAll: Effect.Effect<void, never, WebhookStore> = Effect.flatMap(
  WebhookStore,
  (store) => Effect.flatMap(Effect.orDie(store.enqueue(2, now)), (count) => count === 0 ? Effect.void : enqueueAll)
)

const typesOf = (webhook: number) =>
  Effect.flatMap(WebhookStore, (store) =>
    Effect.map(
      store.deliveries(webhook, { after: 0, limit: 100 }),
      (deliveries) => deliveries.map(({ type }) => type)
    ))

const leaseAt = (at: number) =>
  Effect.flatMap(WebhookStore, (store) => Effect.map(store.lease(leaseMs, at), (leased) => leased!))

const delivered = (event: number): AttemptResult => ({
  event,
  attempt: 1,
  state: "delivered",
  status: 204,
  error: null,
  delayMs: 0,
  pauseMs: 0,
  isGone: false,
  disableAfterMs: 100_000
})
const retried = (event: number): AttemptResult => ({
  ...delivered(event),
  state: "waiting",
  status: null,
  error: "timeout",
  delayMs: 5_000,
  pauseMs: 1_000
})

const record = (webhook: LeasedWebhook, result: AttemptResult, at: number) =>
  Effect.flatMap(WebhookStore, (store) => store.record(webhook, result, leaseMs, at))

const testManagement = (it: Tests): void => {
  it.effect("creates, changes, lists and deletes a webhook", () =>
    Effect.gen(function*() {
      const store = yield* WebhookStore
      const created = yield* newWebhook(["account.created"])
      assert.deepStrictEqual(created, {
        id: created.id,
        url: "https://receiver.example/hook?token=1",
        description: null,
        types: ["account.created"],
        disabledReason: null,
        createdAt: now,
        failingSince: null,
        previousSecretExpiresAt: null
      })
      assert.deepStrictEqual(yield* store.webhook(created.id), created)
      assert.deepStrictEqual(yield* store.update(created.id, {}), { before: created, after: created })
      const changed = { ...created, description: "d", types: null, disabledReason: "operator" } as const
      const { after } = yield* store.update(created.id, { description: "d", types: null, isEnabled: false })
      assert.deepStrictEqual(after, changed)
      const again = yield* store.update(created.id, { description: null, url: "https://b.example", isEnabled: true })
      assert.deepStrictEqual(again, {
        before: changed,
        after: { ...created, types: null, url: "https://b.example" }
      })
      assert.deepStrictEqual(yield* store.webhooks({ after: created.id - 1, limit: 1 }), [again.after])
      assert.deepStrictEqual(yield* store.remove(created.id, null), again.after)
      const unknown = new UnknownWebhook({ webhook: created.id })
      assert.deepStrictEqual(yield* Effect.flip(store.webhook(created.id)), unknown)
      assert.deepStrictEqual(yield* Effect.flip(store.update(created.id, {})), unknown)
      assert.deepStrictEqual(yield* Effect.flip(store.remove(created.id, null)), unknown)
      assert.deepStrictEqual(yield* Effect.flip(store.deliveries(created.id, { after: 0, limit: 1 })), unknown)
      const rotation = { secret: Redacted.make("whsec_x"), overlapMs: 1, now: null }
      assert.deepStrictEqual(yield* Effect.flip(store.rotateSecret(created.id, rotation)), unknown)
    }))

  it.effect("rejects a webhook above the limit", () =>
    Effect.gen(function*() {
      const store = yield* WebhookStore
      const { createdAt: _, id, ...rest } = yield* newWebhook()
      const create = store.create({ ...rest, types: null, secret: Redacted.make("whsec_x"), now })
      for (let i = 1; i < maxWebhooks; i++) yield* create
      assert.deepStrictEqual(yield* Effect.flip(create), new WebhookLimit({ limit: maxWebhooks }))
      yield* store.remove(id, null)
      yield* create
    }))

  it.effect("signs with the replaced secret until the overlap ends", () =>
    Effect.gen(function*() {
      const store = yield* WebhookStore
      const { id } = yield* newWebhook()
      yield* recordEvent("account.created")
      yield* enqueueAll
      const secretsAt = (at: number) =>
        Effect.gen(function*() {
          const leased = yield* leaseAt(at)
          yield* store.release(leased)
          return leased.secrets.map((secret) => Redacted.value(secret))
        })
      const rotate = (text: string, overlapMs: number) =>
        store.rotateSecret(id, { secret: Redacted.make(text), overlapMs, now })
      assert.deepStrictEqual(yield* secretsAt(now), ["whsec_first"])
      assert.strictEqual((yield* rotate("whsec_second", 1_000)).previousSecretExpiresAt, now + 1_000)
      assert.deepStrictEqual(yield* secretsAt(now + 999), ["whsec_second", "whsec_first"])
      assert.deepStrictEqual(yield* secretsAt(now + 1_000), ["whsec_second"])
      assert.isNull((yield* rotate("whsec_third", 0)).previousSecretExpiresAt)
      assert.deepStrictEqual(yield* secretsAt(now), ["whsec_third"])
    }))
}

const testEnqueue = (it: Tests): void => {
  it.effect("adds one delivery for each selected event since the webhook's creation, in concurrent processes", () =>
    Effect.gen(function*() {
      yield* recordEvent("account.closed")
      const { id } = yield* newWebhook(["account.created", "key.issued"])
      for (const type of ["account.created", "account.updated", "key.issued", "account.created"] as const) {
        yield* recordEvent(type)
      }
      yield* Effect.all([enqueueAll, enqueueAll, enqueueAll], { concurrency: "unbounded" })
      yield* enqueueAll
      assert.deepStrictEqual(yield* typesOf(id), ["account.created", "key.issued", "account.created"])
    }))

  it.effect("delivers a test only to the webhook that it names, even if the webhook selects other types", () =>
    Effect.gen(function*() {
      const store = yield* WebhookStore
      const { id } = yield* newWebhook(["account.created"])
      const other = yield* store.create({
        url: "https://b.example",
        description: null,
        types: null,
        secret: Redacted.make("whsec_x"),
        now
      })
      yield* recordEvent("webhook.test", `webhook ${id}`)
      yield* enqueueAll
      assert.deepStrictEqual([yield* typesOf(id), yield* typesOf(other.id)], [["webhook.test"], []])
    }))

  it.effect("continues after its last event when a disabled webhook is enabled", () =>
    Effect.gen(function*() {
      const store = yield* WebhookStore
      const { id } = yield* newWebhook()
      yield* store.update(id, { isEnabled: false })
      yield* recordEvent("account.created")
      yield* enqueueAll
      assert.isNull(yield* store.lease(leaseMs, now))
      assert.deepStrictEqual(yield* typesOf(id), [])
      yield* store.update(id, { isEnabled: true })
      yield* enqueueAll
      assert.deepStrictEqual(yield* typesOf(id), ["account.created"])
    }))

  it.effect("deletes deliveries together with their old events, and with their webhook", () =>
    Effect.gen(function*() {
      const [adminStore, store] = yield* Effect.all([AdminStore, WebhookStore])
      const { id } = yield* newWebhook()
      yield* recordEvent("account.created")
      yield* enqueueAll
      yield* store.remove(id, null)
      assert.isAtLeast(yield* store.prune(1_000), 1)
      assert.strictEqual(yield* store.prune(1_000), 0)
      const kept = yield* newWebhook()
      yield* recordEvent("account.created")
      yield* enqueueAll
      yield* adminStore.prune(-600_000, 1_000)
      yield* enqueueAll
      const leased = yield* store.lease(leaseMs, now)
      assert.deepStrictEqual(leased === null ? [] : yield* store.due(kept.id, 10, now), [])
    }))
}

const testLeases = (it: Tests): void => {
  it.effect("leases a webhook to one of several processes, and again after the lease lapsed", () =>
    Effect.gen(function*() {
      const store = yield* WebhookStore
      const { id } = yield* newWebhook()
      assert.isNull(yield* store.lease(leaseMs, now))
      yield* recordEvent("account.created")
      yield* enqueueAll
      const leases = yield* Effect.all(
        Array.from({ length: 4 }, () => store.lease(leaseMs, now)),
        { concurrency: "unbounded" }
      )
      const [first, ...rest] = leases.filter((leased) => leased !== null)
      assert.deepInclude(first, { id, url: "https://receiver.example/hook?token=1", failures: 0 })
      assert.deepStrictEqual(rest, [])
      assert.isNull(yield* store.lease(leaseMs, now + leaseMs - 1))
      const [due] = yield* store.due(id, 10, now)
      const second = yield* leaseAt(now + leaseMs)
      assert.isAbove(second.lease, first!.lease)
      assert.deepStrictEqual(yield* record(first!, delivered(due!.event.id), now), { next: null, disabled: null })
      yield* store.release(first!)
      assert.isNull(yield* store.lease(leaseMs, now + leaseMs))
      assert.deepStrictEqual((yield* store.due(id, 10, now)).map(({ event }) => event.id), [due!.event.id])
      assert.isNotNull((yield* record(second, delivered(due!.event.id), now + leaseMs)).next)
      assert.deepStrictEqual(yield* store.due(id, 10, now + leaseMs), [])
    }))

  it.effect("returns the recorded event, and deliveries in the order of their events", () =>
    Effect.gen(function*() {
      const [adminStore, store] = yield* Effect.all([AdminStore, WebhookStore])
      const { id } = yield* newWebhook()
      for (const type of ["account.created", "account.updated", "account.closed"] as const) yield* recordEvent(type)
      yield* enqueueAll
      const due = yield* store.due(id, 2, now)
      const [first] = due
      const recorded = yield* adminStore.events({ after: first!.event.id - 1, limit: 2 })
      assert.deepStrictEqual(due, recorded.map((event) => ({ event, attempts: 0 })))
      assert.deepStrictEqual((yield* store.deliveries(id, { after: first!.event.id, limit: 1 }))[0], {
        event: recorded[1]!.id,
        type: "account.updated",
        state: "waiting",
        attempts: 0,
        lastAttemptAt: null,
        lastStatus: null,
        lastError: null,
        nextAttemptAt: now
      })
      assert.isAtLeast(yield* store.oldestWaitingMs(recorded[0]!.time + 5_000), 5_000)
    }))
}

const testResults = (it: Tests): void => {
  it.effect("pauses a webhook after a failed attempt, and sends the event again after its delay", () =>
    Effect.gen(function*() {
      const store = yield* WebhookStore
      const { id } = yield* newWebhook()
      yield* recordEvent("account.created")
      yield* enqueueAll
      const [due] = yield* store.due(id, 1, now)
      const { event } = due!
      assert.deepStrictEqual(yield* record(yield* leaseAt(now), retried(event.id), now), {
        next: null,
        disabled: null
      })
      const [waiting] = yield* store.deliveries(id, { after: 0, limit: 10, state: "waiting" })
      assert.deepInclude(waiting, {
        attempts: 1,
        lastAttemptAt: now,
        lastError: "timeout",
        lastStatus: null,
        nextAttemptAt: now + 5_000
      })
      assert.isNull(yield* store.lease(leaseMs, now + 4_999))
      yield* recordEvent("account.updated")
      yield* enqueueAll
      assert.isNull(yield* store.lease(leaseMs, now + 999))
      const leased = yield* leaseAt(now + 1_000)
      assert.strictEqual(leased.failures, 1)
      yield* store.release(leased)
      assert.deepInclude((yield* store.due(id, 10, now + 5_000))[0], { event, attempts: 1 })
      assert.strictEqual((yield* store.webhook(id)).failingSince, now)
      const { next } = yield* record(yield* leaseAt(now + 5_000), delivered(event.id), now + 5_000)
      assert.strictEqual(next?.failures, 0)
      assert.isNull((yield* store.webhook(id)).failingSince)
      assert.deepInclude((yield* store.deliveries(id, { after: 0, limit: 10, state: "delivered" }))[0], {
        event: event.id,
        lastStatus: 204,
        lastError: null,
        nextAttemptAt: null
      })
    }))

  it.effect("disables a webhook after status 410, and after a failed delivery if all attempts failed for a long time", () =>
    Effect.gen(function*() {
      const store = yield* WebhookStore
      const { id } = yield* newWebhook()
      yield* recordEvent("account.created")
      yield* enqueueAll
      const [due] = yield* store.due(id, 1, now)
      const failed: AttemptResult = { ...retried(due!.event.id), state: "failed" }
      const attemptAt = (result: AttemptResult, at: number) =>
        Effect.flatMap(leaseAt(at), (leased) => record(leased, result, at))
      assert.isNull((yield* attemptAt(failed, now)).disabled)
      yield* store.retry(id, due!.event.id, now)
      const { disabled } = yield* attemptAt(failed, now + 100_000)
      assert.deepInclude(disabled, { id, disabledReason: "failing" })
      assert.isNull(yield* store.lease(leaseMs, now + 200_000))
      yield* store.update(id, { isEnabled: true })
      yield* store.retry(id, due!.event.id, now)
      const gone = yield* attemptAt({ ...retried(due!.event.id), isGone: true, status: 410 }, now)
      assert.deepInclude(gone.disabled, { id, disabledReason: "gone" })
      assert.strictEqual((yield* store.webhook(id)).disabledReason, "gone")
    }))

  it.effect("ends the lease of a webhook that an operator disabled or deleted", () =>
    Effect.gen(function*() {
      const store = yield* WebhookStore
      const { id } = yield* newWebhook()
      yield* recordEvent("account.created")
      yield* enqueueAll
      const [due] = yield* store.due(id, 1, now)
      const leased = yield* leaseAt(now)
      yield* store.update(id, { isEnabled: false })
      assert.deepStrictEqual(yield* record(leased, delivered(due!.event.id), now), { next: null, disabled: null })
      assert.strictEqual((yield* store.webhook(id)).disabledReason, "operator")
    }))

  it.effect("retries a delivery in any state, and fails for an event without a delivery", () =>
    Effect.gen(function*() {
      const store = yield* WebhookStore
      const { id } = yield* newWebhook()
      yield* recordEvent("account.created")
      yield* enqueueAll
      const [due] = yield* store.due(id, 1, now)
      yield* record(yield* leaseAt(now), { ...retried(due!.event.id), state: "failed", pauseMs: 60_000 }, now)
      const again = yield* store.retry(id, due!.event.id, now)
      assert.deepInclude(again, { state: "waiting", attempts: 0, nextAttemptAt: now, lastError: "timeout" })
      assert.isNotNull(yield* store.lease(leaseMs, now))
      const unknown = store.retry(id, Number.MAX_SAFE_INTEGER, now)
      assert.deepStrictEqual(yield* Effect.flip(unknown), new UnknownDelivery({ event: Number.MAX_SAFE_INTEGER }))
    }))
}

/** Defines the contract tests of `WebhookStore`. */
export const webhookStoreContract = <E>(
  name: string,
  layer: Layer.Layer<Stores, E>,
  options: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { excludeTestServices: true, timeout: options.timeoutMs ?? 60_000 })(
    `WebhookStore: ${name}`,
    (it) => {
      testManagement(it)
      testEnqueue(it)
      testLeases(it)
      testResults(it)
    }
  )
