import { Context, Effect, Layer, Redacted } from "effect"
import { AdminStore, type EventFields, type EventType } from "../access/AdminStore.ts"
import type { PageAfter } from "../access/KeyStore.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import { generateWebhookSecret } from "./signature.ts"
import {
  type DeliveryRecord,
  type DeliveryState,
  type UnknownDelivery,
  type UnknownWebhook,
  type WebhookChange,
  WebhookDisabled,
  type WebhookLimit,
  type WebhookRecord,
  WebhookUrlRejected
} from "./webhook.ts"
import { WebhookSender } from "./WebhookSender.ts"
import { WebhookStore, webhookTarget, webhookTestType } from "./WebhookStore.ts"

/** Returns a URL without its query, which may contain a secret of the receiver. */
const withoutQuery = (url: string): string => url.split("?", 1)[0]!

/** Returns the fields of a webhook that events contain. */
export const describeWebhook = (
  { description, disabledReason, types, url }: WebhookRecord
): EventFields & Record<"url" | "description" | "types" | "disabled_reason", EventFields[string]> => ({
  url: withoutQuery(url),
  description,
  types,
  disabled_reason: disabledReason
})

/** Returns the common fields of an event about a webhook, for events that report no changed fields. */
export const webhookEvent = (type: EventType, id: number) => ({
  type,
  account: null,
  target: webhookTarget(id),
  before: null,
  after: null
})

/** Returns the fields that differ, before and after a change. */
const changedFields = (before: WebhookRecord, after: WebhookRecord) => {
  const [fieldsBefore, fieldsAfter] = [describeWebhook(before), describeWebhook(after)]
  const names = Object.keys(fieldsAfter).filter((name) =>
    JSON.stringify(fieldsBefore[name]) !== JSON.stringify(fieldsAfter[name]) ||
    (name === "url" && before.url !== after.url)
  )
  const pick = (fields: EventFields) => Object.fromEntries(names.map((name) => [name, fields[name]!]))
  return names.length === 0 ? null : { before: pick(fieldsBefore), after: pick(fieldsAfter) }
}

/** A webhook together with its secret. */
export interface WebhookWithSecret {
  readonly webhook: WebhookRecord
  readonly secret: Redacted.Redacted<string>
}

/** Manages webhooks. Each change records an event, which contains neither the secret nor the query of the URL. */
export class Webhooks extends Context.Service<Webhooks, {
  /** Creates a webhook. No other method returns this secret. */
  readonly create: (webhook: {
    readonly url: string
    readonly description: string | null
    readonly types: ReadonlyArray<EventType> | null
  }) => Effect.Effect<WebhookWithSecret, WebhookUrlRejected | WebhookLimit | StoreUnavailable>
  readonly webhooks: (page: PageAfter) => Effect.Effect<ReadonlyArray<WebhookRecord>, StoreUnavailable>
  readonly webhook: (id: number) => Effect.Effect<WebhookRecord, UnknownWebhook | StoreUnavailable>
  readonly update: (
    id: number,
    change: WebhookChange
  ) => Effect.Effect<WebhookRecord, WebhookUrlRejected | UnknownWebhook | StoreUnavailable>
  readonly remove: (id: number) => Effect.Effect<void, UnknownWebhook | StoreUnavailable>
  /** Creates a new secret. For `overlapMs`, messages are signed with the new secret and with the replaced secret. */
  readonly rotateSecret: (
    id: number,
    overlapMs: number
  ) => Effect.Effect<WebhookWithSecret, UnknownWebhook | StoreUnavailable>
  /** Records an event `webhook.test`, which is delivered only to this webhook. */
  readonly test: (id: number) => Effect.Effect<WebhookRecord, UnknownWebhook | WebhookDisabled | StoreUnavailable>
  readonly deliveries: (
    webhook: number,
    query: PageAfter & {
      readonly state?: DeliveryState | undefined
    }
  ) => Effect.Effect<ReadonlyArray<DeliveryRecord>, UnknownWebhook | StoreUnavailable>
  /** Makes a delivery due, whatever its state. */
  readonly retry: (
    webhook: number,
    event: number
  ) => Effect.Effect<DeliveryRecord, UnknownWebhook | UnknownDelivery | StoreUnavailable>
}>()("@tapeline/core/webhooks/Webhooks") {
  static readonly layer: Layer.Layer<Webhooks, never, AdminStore | WebhookSender | WebhookStore> = Layer.effect(
    Webhooks,
    Effect.gen(function*() {
      const [adminStore, sender, store] = yield* Effect.all([AdminStore, WebhookSender, WebhookStore])
      const checkUrl = (url: string | undefined) => {
        const reason = url === undefined ? null : sender.checkUrl(url)
        return reason === null ? Effect.void : Effect.fail(new WebhookUrlRejected({ reason }))
      }
      const { deliveries, webhook, webhooks } = store
      return Webhooks.of({
        webhooks,
        webhook,
        deliveries,
        create: Effect.fn("Webhooks.create")(function*(fields) {
          yield* checkUrl(fields.url)
          const secret = Redacted.make(generateWebhookSecret())
          const created = yield* adminStore.transact(Effect.tap(
            store.create({ ...fields, secret, now: null }),
            (created) =>
              adminStore.record([{ ...webhookEvent("webhook.created", created.id), after: describeWebhook(created) }])
          ))
          return { webhook: created, secret }
        }),
        update: Effect.fn("Webhooks.update")(function*(id, change) {
          yield* checkUrl(change.url)
          const { after } = yield* adminStore.transact(Effect.tap(store.update(id, change), ({ after, before }) => {
            const changed = changedFields(before, after)
            return changed === null
              ? Effect.void
              : adminStore.record([{ ...webhookEvent("webhook.updated", id), ...changed }])
          }))
          return after
        }),
        remove: Effect.fn("Webhooks.remove")(function*(id) {
          yield* adminStore.transact(Effect.tap(
            store.remove(id, null),
            (removed) =>
              adminStore.record([{ ...webhookEvent("webhook.deleted", id), before: describeWebhook(removed) }])
          ))
        }),
        rotateSecret: Effect.fn("Webhooks.rotateSecret")(function*(id, overlapMs) {
          const secret = Redacted.make(generateWebhookSecret())
          const rotated = yield* adminStore.transact(Effect.tap(
            store.rotateSecret(id, { secret, overlapMs, now: null }),
            () => adminStore.record([webhookEvent("webhook.secret_rotated", id)])
          ))
          return { webhook: rotated, secret }
        }),
        test: Effect.fn("Webhooks.test")(function*(id) {
          return yield* adminStore.transact(Effect.gen(function*() {
            const found = yield* store.webhook(id)
            if (found.disabledReason !== null) return yield* new WebhookDisabled({ webhook: id })
            yield* adminStore.record([webhookEvent(webhookTestType, id)])
            return found
          }))
        }),
        retry: Effect.fn("Webhooks.retry")(function*(id, event) {
          return yield* adminStore.transact(Effect.tap(
            store.retry(id, event, null),
            () => adminStore.record([{ ...webhookEvent("webhook.delivery_retried", id), after: { event } }])
          ))
        })
      })
    })
  )
}
