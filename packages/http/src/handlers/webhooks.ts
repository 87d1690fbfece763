import {
  ChangeWebhook,
  CreateWebhook,
  DeliveryBody,
  DeliveryList,
  RotateWebhookSecret,
  servedWebhooksApi,
  WebhookBody,
  WebhookList,
  WebhookWithSecretBody
} from "@tapeline/api"
import { type DeliveryRecord, type WebhookRecord, Webhooks } from "@tapeline/core"
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeBodyReader } from "../body.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { makeAdminChanges } from "./adminChange.ts"
import { iso, isoOrNull, readPage } from "./responseBodies.ts"

const webhookBody = (webhook: WebhookRecord): typeof WebhookBody.Type => ({
  id: webhook.id,
  url: webhook.url,
  description: webhook.description,
  types: webhook.types,
  status: webhook.disabledReason === null ? "enabled" : "disabled",
  disabled_reason: webhook.disabledReason,
  failing_since: isoOrNull(webhook.failingSince),
  previous_secret_expires_at: isoOrNull(webhook.previousSecretExpiresAt),
  created_at: iso(webhook.createdAt)
})

const bodyWithSecret = ({ secret, webhook }: {
  readonly webhook: WebhookRecord
  readonly secret: Redacted.Redacted<string>
}): typeof WebhookWithSecretBody.Type => ({ ...webhookBody(webhook), secret: Redacted.value(secret) })

const deliveryBody = (delivery: DeliveryRecord): typeof DeliveryBody.Type => ({
  event: delivery.event,
  type: delivery.type,
  state: delivery.state,
  attempts: delivery.attempts,
  last_attempt_at: isoOrNull(delivery.lastAttemptAt),
  last_status: delivery.lastStatus,
  last_error: delivery.lastError,
  next_attempt_at: isoOrNull(delivery.nextAttemptAt)
})

const readCreateWebhook = makeBodyReader(CreateWebhook)
const readChangeWebhook = makeBodyReader(ChangeWebhook)
const readRotate = makeBodyReader(RotateWebhookSecret)

const respondWebhook = makeJsonResponder(WebhookBody)
const respondWithSecret = makeJsonResponder(WebhookWithSecretBody)
const respondWebhooks = makeJsonResponder(WebhookList)
const respondDelivery = makeJsonResponder(DeliveryBody)
const respondDeliveries = makeJsonResponder(DeliveryList)

type Headers = { readonly "idempotency-key"?: string | undefined }

const hourMs = 3_600_000
const defaultOverlapHours = 24

export const layerWebhookHandlers = HttpApiBuilder.group(
  servedWebhooksApi,
  "webhooks",
  Effect.fnUntraced(function*(handlers) {
    const [webhooks, changes] = yield* Effect.all([Webhooks, makeAdminChanges])
    const runChange = <A, E>(operation: string, request: unknown, headers: Headers, change: Effect.Effect<A, E>) =>
      changes.run({ operation, request, headers, change })
    const runSecretChange = <A, E>(
      operation: string,
      request: unknown,
      headers: Headers,
      change: Effect.Effect<A, E>
    ) => changes.runSecret({ operation, request, headers, change })
    const readDeliveries = (id: number, query: Parameters<typeof webhooks.deliveries>[1]) =>
      Effect.map(webhooks.deliveries(id, query), (deliveries) => deliveries.map((one) => ({ ...one, id: one.event })))
    return handlers
      .handleRaw(
        "createWebhook",
        makeOperation(Effect.fnUntraced(function*({ headers, request }) {
          const body = yield* readCreateWebhook(request)
          const { description = null, types = null, url } = body
          const create = Effect.map(webhooks.create({ url, types, description }), bodyWithSecret)
          return yield* respondWithSecret(yield* runSecretChange("createWebhook", body, headers, create))
        }))
      )
      .handleRaw(
        "webhooks",
        makeOperation(({ query }) =>
          Effect.flatMap(
            readPage(webhooks.webhooks, query),
            ({ next_cursor, part }) => respondWebhooks({ webhooks: part.map(webhookBody), next_cursor })
          )
        )
      )
      .handleRaw(
        "webhook",
        makeOperation(({ params }) =>
          Effect.flatMap(webhooks.webhook(params.id), (webhook) => respondWebhook(webhookBody(webhook)))
        )
      )
      .handleRaw(
        "changeWebhook",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readChangeWebhook(request)
          const { description, status, types, url } = body
          const isEnabled = status === undefined ? undefined : status === "enabled"
          const update = Effect.map(webhooks.update(params.id, { description, isEnabled, types, url }), webhookBody)
          return yield* respondWebhook(yield* runChange("changeWebhook", { ...params, body }, headers, update))
        }))
      )
      .handleRaw(
        "deleteWebhook",
        makeOperation(({ headers, params }) =>
          Effect.as(
            runChange("deleteWebhook", params, headers, Effect.as(webhooks.remove(params.id), null)),
            HttpServerResponse.empty({ status: 204 })
          )
        )
      )
      .handleRaw(
        "rotateWebhookSecret",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readRotate(request)
          const overlapMs = (body.overlap_hours ?? defaultOverlapHours) * hourMs
          const rotate = Effect.map(webhooks.rotateSecret(params.id, overlapMs), bodyWithSecret)
          const rotated = yield* runSecretChange("rotateWebhookSecret", { ...params, body }, headers, rotate)
          return yield* respondWithSecret(rotated)
        }))
      )
      .handleRaw(
        "testWebhook",
        makeOperation(({ headers, params }) =>
          Effect.flatMap(
            runChange("testWebhook", params, headers, Effect.map(webhooks.test(params.id), webhookBody)),
            (body) => respondWebhook(body)
          )
        )
      )
      .handleRaw(
        "webhookDeliveries",
        makeOperation(({ params, query: { state, ...page } }) =>
          Effect.flatMap(
            readPage((range) => readDeliveries(params.id, { ...range, state }), page),
            ({ next_cursor, part }) => respondDeliveries({ deliveries: part.map(deliveryBody), next_cursor })
          )
        )
      )
      .handleRaw(
        "retryWebhookDelivery",
        makeOperation(({ headers, params }) => {
          const retry = Effect.map(webhooks.retry(params.id, params.event), deliveryBody)
          return Effect.flatMap(
            runChange("retryWebhookDelivery", params, headers, retry),
            (body) => respondDelivery(body)
          )
        })
      )
  })
)
