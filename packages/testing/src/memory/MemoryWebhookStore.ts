import {
  type AttemptResult,
  type DeliveryRecord,
  type LeasedWebhook,
  maxWebhooks,
  UnknownDelivery,
  UnknownWebhook,
  WebhookLimit,
  type WebhookRecord,
  WebhookStore,
  webhookTarget,
  webhookTestType
} from "@tapeline/core/engine"
import { Clock, Effect, Layer } from "effect"
import { MemoryState, type WebhookRow } from "./MemoryState.ts"

const toRecord = ({ record }: WebhookRow): WebhookRecord => record

const toLease = ({ failures, lease, previousSecret, record, secret }: WebhookRow, now: number): LeasedWebhook => ({
  id: record.id,
  lease,
  url: record.url,
  secrets: previousSecret !== null && record.previousSecretExpiresAt! > now ? [secret, previousSecret] : [secret],
  failures
})

const isActive = ({ isDeleted, record }: WebhookRow): boolean => !isDeleted && record.disabledReason === null

const isDue = ({ nextAttemptAt, state }: DeliveryRecord, now: number): boolean =>
  state === "waiting" && nextAttemptAt! <= now

const byEvent = (a: DeliveryRecord, b: DeliveryRecord): number => a.event - b.event

/** Records an attempt of the newest lease, and returns whether the attempt disabled the webhook. */
const applyResult = (row: WebhookRow, result: AttemptResult, leaseMs: number, now: number): boolean => {
  const { attempt, disableAfterMs, event, isGone, pauseMs, state } = result
  const delivery = row.deliveries.get(event)
  if (delivery !== undefined) {
    row.deliveries.set(event, {
      ...delivery,
      state,
      attempts: attempt,
      lastAttemptAt: now,
      lastStatus: result.status,
      lastError: result.error,
      nextAttemptAt: state === "waiting" ? now + result.delayMs : null
    })
  }
  const isDelivered = state === "delivered"
  const { disabledReason, failingSince } = row.record
  const isFailing = state === "failed" && failingSince !== null && failingSince <= now - disableAfterMs
  row.leaseUntil = isDelivered ? now + leaseMs : 0
  row.pausedUntil = now + pauseMs
  row.failures = isDelivered ? 0 : row.failures + 1
  row.record = {
    ...row.record,
    failingSince: isDelivered ? null : failingSince ?? now,
    disabledReason: disabledReason ?? (isGone ? "gone" : isFailing ? "failing" : null)
  }
  return disabledReason === null && row.record.disabledReason !== null
}

/** Creates the methods that deliver events. */
const makeDeliveryMethods = (
  { events, webhooks }: MemoryState["Service"],
  getTime: (now: number | null) => number
): Pick<
  WebhookStore["Service"],
  "enqueue" | "lease" | "due" | "record" | "release" | "oldestWaitingMs" | "prune"
> => {
  const withLease = ({ id, lease }: LeasedWebhook) => {
    const row = webhooks.get(id)
    return row?.lease === lease ? row : undefined
  }
  return {
    enqueue: (limit, at) =>
      Effect.sync(() => {
        let count = 0
        for (const row of [...webhooks.values()].filter(isActive)) {
          const { id, types } = row.record
          for (const event of events.filter((event) => event.id > row.cursor).slice(0, limit)) {
            count++
            row.cursor = event.id
            const isSelected = event.type === webhookTestType
              ? event.target === webhookTarget(id)
              : types === null || types.includes(event.type)
            if (!isSelected || row.deliveries.has(event.id)) continue
            row.deliveries.set(event.id, {
              event: event.id,
              type: event.type,
              state: "waiting",
              attempts: 0,
              lastAttemptAt: null,
              lastStatus: null,
              lastError: null,
              nextAttemptAt: getTime(at)
            })
          }
        }
        return count
      }),
    lease: (leaseMs, at) =>
      Effect.sync(() => {
        const now = getTime(at)
        const row = [...webhooks.values()].find((row) =>
          isActive(row) && row.leaseUntil <= now && row.pausedUntil <= now &&
          [...row.deliveries.values()].some((delivery) => isDue(delivery, now))
        )
        if (row === undefined) return null
        row.lease++
        row.leaseUntil = now + leaseMs
        return toLease(row, now)
      }),
    due: (webhook, limit, at) =>
      Effect.sync(() =>
        [...webhooks.get(webhook)?.deliveries.values() ?? []]
          .filter((delivery) => isDue(delivery, getTime(at))).sort(byEvent).slice(0, limit)
          .map(({ attempts, event }) => ({ attempts, event: events.find(({ id }) => id === event)! }))
      ),
    record: (webhook, result, leaseMs, at) =>
      Effect.sync(() => {
        const row = withLease(webhook)
        if (row === undefined) return { next: null, disabled: null }
        const now = getTime(at)
        const isNewlyDisabled = applyResult(row, result, leaseMs, now)
        return {
          next: result.state === "delivered" && isActive(row) ? toLease(row, now) : null,
          disabled: isNewlyDisabled ? row.record : null
        }
      }),
    release: (webhook) =>
      Effect.sync(() => {
        const row = withLease(webhook)
        if (row !== undefined) row.leaseUntil = 0
      }),
    oldestWaitingMs: (at) =>
      Effect.sync(() =>
        Math.max(
          0,
          ...[...webhooks.values()].filter(isActive).flatMap(({ deliveries }) =>
            [...deliveries.values()].filter(({ state }) => state === "waiting").map(({ event }) =>
              getTime(at) - (events.find(({ id }) => id === event)?.time ?? Infinity)
            )
          )
        )
      ),
    prune: (limit) =>
      Effect.sync(() => {
        const old = [...webhooks.values()].filter(({ isDeleted }) => isDeleted)
          .flatMap(({ deliveries }) => [...deliveries.keys()].map((event) => ({ deliveries, event }))).slice(0, limit)
        for (const { deliveries, event } of old) deliveries.delete(event)
        return old.length
      })
  }
}

/** Implements `WebhookStore` over `MemoryState`. */
export const MemoryWebhookStore: Layer.Layer<WebhookStore, never, MemoryState> = Layer.effect(
  WebhookStore,
  Effect.gen(function*() {
    const [state, clock] = yield* Effect.all([MemoryState, Clock.Clock])
    const { events, webhooks } = state
    const getTime = (now: number | null) => now ?? clock.currentTimeMillisUnsafe()
    const find = (id: number) =>
      Effect.suspend(() => {
        const row = webhooks.get(id)
        return row === undefined || row.isDeleted
          ? Effect.fail(new UnknownWebhook({ webhook: id }))
          : Effect.succeed(row)
      })

    return WebhookStore.of({
      ...makeDeliveryMethods(state, getTime),
      create: ({ now, secret, ...fields }) =>
        Effect.suspend(() => {
          if ([...webhooks.values()].filter(({ isDeleted }) => !isDeleted).length >= maxWebhooks) {
            return Effect.fail(new WebhookLimit({ limit: maxWebhooks }))
          }
          const record: WebhookRecord = {
            ...fields,
            id: webhooks.size + 1,
            disabledReason: null,
            createdAt: getTime(now),
            failingSince: null,
            previousSecretExpiresAt: null
          }
          webhooks.set(record.id, {
            record,
            secret,
            previousSecret: null,
            isDeleted: false,
            cursor: events.at(-1)?.id ?? 0,
            lease: 0,
            leaseUntil: 0,
            pausedUntil: 0,
            failures: 0,
            deliveries: new Map()
          })
          return Effect.succeed(record)
        }),
      webhooks: ({ after, limit }) =>
        Effect.sync(() =>
          [...webhooks.values()].filter(({ isDeleted, record }) => !isDeleted && record.id > after).slice(0, limit)
            .map(toRecord)
        ),
      webhook: (id) => Effect.map(find(id), toRecord),
      update: (id, { description, isEnabled, types, url }) =>
        Effect.map(find(id), (row) => {
          const before = row.record
          row.record = {
            ...before,
            url: url ?? before.url,
            description: description === undefined ? before.description : description,
            types: types === undefined ? before.types : types
          }
          if (isEnabled === true) {
            row.record = { ...row.record, disabledReason: null, failingSince: null }
            row.failures = 0
            row.pausedUntil = 0
          } else if (isEnabled === false) {
            row.record = { ...row.record, disabledReason: before.disabledReason ?? "operator" }
          }
          return { before, after: row.record }
        }),
      rotateSecret: (id, { now, overlapMs, secret }) =>
        Effect.map(find(id), (row) => {
          row.previousSecret = overlapMs > 0 ? row.secret : null
          row.secret = secret
          row.record = { ...row.record, previousSecretExpiresAt: overlapMs > 0 ? getTime(now) + overlapMs : null }
          return row.record
        }),
      remove: (id) =>
        Effect.map(find(id), (row) => {
          row.isDeleted = true
          return row.record
        }),
      deliveries: (webhook, { after, limit, state }) =>
        Effect.map(
          find(webhook),
          ({ deliveries }) =>
            [...deliveries.values()].filter((one) => one.event > after && (state === undefined || one.state === state))
              .sort(byEvent).slice(0, limit)
        ),
      retry: (webhook, event, now) =>
        Effect.flatMap(find(webhook), (row) => {
          const found = row.deliveries.get(event)
          if (found === undefined) return Effect.fail(new UnknownDelivery({ event }))
          const retried = { ...found, state: "waiting", attempts: 0, nextAttemptAt: getTime(now) } as const
          row.deliveries.set(event, retried)
          row.pausedUntil = 0
          return Effect.succeed(retried)
        })
    })
  })
)
