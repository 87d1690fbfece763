import { Clock, Effect, Layer, Metric, Random, Schedule } from "effect"
import { AdminStore } from "../access/AdminStore.ts"
import { makeCounter } from "../metrics/counter.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { toWebhookMessage } from "./message.ts"
import { attemptResultOf, attemptTimeoutMs } from "./retrySchedule.ts"
import { signedHeaders } from "./signature.ts"
import { describeWebhook, webhookEvent } from "./Webhooks.ts"
import { WebhookSender } from "./WebhookSender.ts"
import { type AttemptResult, type DueDelivery, type LeasedWebhook, WebhookStore } from "./WebhookStore.ts"

/** The settings of the deliveries to webhooks. */
export interface WebhookDeliveryOptions {
  /** The pause in ms between two searches for new events and due deliveries; 2000 by default. */
  readonly intervalMs?: number
  /** The time in ms after which another process takes over the webhook of a crashed process; 60 000 by default. */
  readonly leaseMs?: number
  /** The pause in ms between two updates of the metric of waiting deliveries; 30 000 by default. */
  readonly metricIntervalMs?: number
}

/** The maximum number of events per webhook that one transaction reads. */
const maxEnqueued = 500

/** The maximum number of due deliveries that a process reads at once. */
const maxDue = 32

const maxPruned = 1_000
const pruneIntervalMs = 60_000

/** The values of the metric's label for the results of attempts. */
const attemptLabels = { delivered: "delivered", waiting: "retried", failed: "failed" } as const

const attempts = makeCounter<{ readonly result: string }>(
  "tapeline_webhook_attempts",
  "Attempts to deliver an event to a webhook: delivered, retried later, or failed finally"
)

const oldestWaiting = Metric.gauge("tapeline_webhook_oldest_waiting_seconds", {
  description: "The age of the oldest event that waits for its delivery to an enabled webhook; 0 if none waits"
})

/**
 * If the result of an attempt cannot be recorded, the recording is retried for three seconds. If all retries fail, the
 * event is sent again when the lease has ended.
 */
const recordRetries = { times: 4, schedule: Schedule.exponential(200) }

const makeDelivery = Effect.fnUntraced(function*(leaseMs: number) {
  const [adminStore, sender, store] = yield* Effect.all([AdminStore, WebhookSender, WebhookStore])

  const send = Effect.fnUntraced(function*({ failures, secrets, url }: LeasedWebhook, due: DueDelivery) {
    const { body, id } = toWebhookMessage(due.event)
    const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const headers = yield* signedHeaders(secrets, { body, id, timestamp })
    const sent = yield* sender.send({
      url,
      headers: { ...headers, "content-type": "application/json", "user-agent": "Tapeline-Webhooks/1" },
      body,
      timeoutMs: attemptTimeoutMs
    })
    const [jitter, now] = yield* Effect.all([Random.next, Clock.currentTimeMillis])
    return attemptResultOf(sent, { event: due.event.id, attempt: due.attempts + 1, failures, jitter, now })
  })

  const recordResult = (webhook: LeasedWebhook, result: AttemptResult) => {
    const record = store.record(webhook, result, leaseMs, null)
    // Only a gone receiver or a finally failed delivery can disable the webhook. The change and its event are recorded
    // in one transaction.
    const recordAll = result.isGone || result.state === "failed"
      ? adminStore.transact(Effect.tap(record, ({ disabled }) =>
        disabled === null ? Effect.void : adminStore.record([{
          ...webhookEvent("webhook.disabled", webhook.id),
          after: describeWebhook(disabled)
        }])))
      : record
    return Effect.retry(recordAll, recordRetries)
  }

  const attempt = Effect.fnUntraced(function*(webhook: LeasedWebhook, due: DueDelivery) {
    const result = yield* send(webhook, due)
    // A result that was received is recorded even if the process is stopping.
    const { disabled, next } = yield* Effect.uninterruptible(recordResult(webhook, result))
    yield* attempts.add({ result: attemptLabels[result.state] })
    if (disabled !== null) {
      yield* Effect.logWarning(`Webhook ${webhook.id} was disabled (${disabled.disabledReason})`)
    }
    return next
  })

  /** Sends the due deliveries of a leased webhook one after another, until an attempt fails or no delivery is due. */
  const work = Effect.fnUntraced(function*(leased: LeasedWebhook) {
    let webhook = leased
    for (;;) {
      const due = yield* store.due(webhook.id, maxDue, null)
      for (const delivery of due) {
        const next = yield* attempt(webhook, delivery)
        if (next === null) return
        webhook = next
      }
      if (due.length < maxDue) return yield* store.release(webhook)
    }
  })

  return (leased: LeasedWebhook) =>
    work(leased).pipe(
      Effect.onInterrupt(() => Effect.ignore(store.release(leased))),
      Effect.catchCause((cause) => Effect.logWarning(`Delivering to webhook ${leased.id} failed`, cause))
    )
})

/**
 * Delivers recorded events to webhooks, in any number of processes. Each event is sent at least once. One process at a
 * time sends to a webhook, one event after another, in the order of the events; a failed event is sent again later,
 * after other events. No tool call waits for this background work.
 */
export const layerWebhookDeliveries = (
  options: WebhookDeliveryOptions = {}
): Layer.Layer<never, never, AdminStore | WebhookSender | WebhookStore> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const { intervalMs = 2_000, leaseMs = 60_000, metricIntervalMs = 30_000 } = options
    const store = yield* WebhookStore
    const deliver = yield* makeDelivery(leaseMs)

    const enqueueAll: Effect.Effect<void, StoreUnavailable> = Effect.flatMap(
      store.enqueue(maxEnqueued, null),
      (count) => count === 0 ? Effect.void : enqueueAll
    )
    const scope = yield* Effect.scope
    const deliverDue: Effect.Effect<void, StoreUnavailable> = Effect.suspend(() =>
      Effect.flatMap(
        Effect.uninterruptible(Effect.tap(
          store.lease(leaseMs, null),
          (leased) => leased === null ? Effect.void : Effect.forkIn(Effect.interruptible(deliver(leased)), scope)
        )),
        (leased) => leased === null ? Effect.void : deliverDue
      )
    )
    const pruneAll: Effect.Effect<void, StoreUnavailable> = Effect.flatMap(
      store.prune(maxPruned),
      (count) => count < maxPruned ? Effect.void : pruneAll
    )
    const repeat = (operation: string, work: Effect.Effect<void, StoreUnavailable>, pauseMs: number) =>
      work.pipe(
        Effect.catchCause((cause) => Effect.logWarning(`${operation} failed`, cause)),
        Effect.andThen(
          Effect.flatMap(
            Random.nextIntBetween(0, Math.ceil(pauseMs / 4)),
            (jitterMs) => Effect.sleep(pauseMs + jitterMs)
          )
        ),
        Effect.forever,
        Effect.forkScoped
      )

    for (const result of Object.values(attemptLabels)) yield* attempts.publish({ result })
    yield* repeat("Delivering events to webhooks", Effect.andThen(enqueueAll, deliverDue), intervalMs)
    yield* repeat(
      "Reading the oldest waiting delivery",
      Effect.flatMap(store.oldestWaitingMs(null), (ms) => Metric.update(oldestWaiting, ms / 1_000)),
      metricIntervalMs
    )
    yield* repeat("Deleting deliveries of deleted webhooks", pruneAll, pruneIntervalMs)
  }))
