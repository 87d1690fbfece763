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

const hourMs = 3_600_000
const defaultOverlapHours = 24

export const layerWebhookHandlers = HttpApiBuilder.group(
  servedWebhooksApi,
  "webhooks",
  Effect.fnUntraced(function*(handlers) {
    const [webhooks, changes] = yield* Effect.all([Webhooks, makeAdminChanges])
    return handlers
      .handleRaw(
        "createWebhook",
        makeOperation(Effect.fnUntraced(function*({ headers, request }) {
          const body = yield* readCreateWebhook(request)
          const { description = null, types = null, url } = body
          return yield* respondWithSecret(
            yield* changes.runSecret({
              operation: "createWebhook",
              request: body,
              headers,
              change: Effect.map(webhooks.create({ url, types, description }), bodyWithSecret)
            })
          )
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
          return yield* respondWebhook(
            yield* changes.run({
              operation: "changeWebhook",
              request: { ...params, body },
              headers,
              change: Effect.map(webhooks.update(params.id, { description, isEnabled, types, url }), webhookBody)
            })
          )
        }))
      )
      .handleRaw(
        "deleteWebhook",
        makeOperation(({ headers, params }) =>
          Effect.as(
            changes.run({
              operation: "deleteWebhook",
              request: params,
              headers,
              change: Effect.as(webhooks.remove(params.id), null)
            }),
            HttpServerResponse.empty({ status: 204 })
          )
        )
      )
      .handleRaw(
        "rotateWebhookSecret",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readRotate(request)
          const overlapMs = (body.overlap_hours ?? defaultOverlapHours) * hourMs
          return yield* respondWithSecret(
            yield* changes.runSecret({
              operation: "rotateWebhookSecret",
              request: { ...params, body },
              headers,
              change: Effect.map(webhooks.rotateSecret(params.id, overlapMs), bodyWithSecret)
            })
          )
        }))
      )
      .handleRaw(
        "testWebhook",
        makeOperation(({ headers, params }) =>
          Effect.flatMap(
            changes.run({
              operation: "testWebhook",
              request: params,
              headers,
              change: Effect.map(webhooks.test(params.id), webhookBody)
            }),
            (body) => respondWebhook(body)
          )
        )
      )
      .handleRaw(
        "webhookDeliveries",
        makeOperation(({ params, query: { state, ...page } }) =>
          Effect.flatMap(
            readPage(
              (range) =>
                Effect.map(
                  webhooks.deliveries(params.id, { ...range, state }),
                  (deliveries) => deliveries.map((delivery) => ({ ...deliveryBody(delivery), id: delivery.event }))
                ),
              page
            ),
            ({ next_cursor, part }) =>
              respondDeliveries({ deliveries: part.map(({ id: _, ...body }) => body), next_cursor })
          )
        )
      )
      .handleRaw(
        "retryWebhookDelivery",
        makeOperation(({ headers, params }) =>
          Effect.flatMap(
            changes.run({
              operation: "retryWebhookDelivery",
              request: params,
              headers,
              change: Effect.map(webhooks.retry(params.id, params.event), deliveryBody)
            }),
            (body) => respondDelivery(body)
          )
        )
      )
  })
)
