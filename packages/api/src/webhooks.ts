import { DeliveryState, DisabledReason, EventType, Text } from "@tapeline/core/engine"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { changeProblems, maxId, NextCursor, PageQuery, scopeList } from "./admin.ts"
import { AdminAuthorization, adminOperation } from "./authorization.ts"
import { ChangeHeaders } from "./headers.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"
import { wholeNumber } from "./wholeNumber.ts"

const Url = Schema.String.annotate({
  description:
    "An `https:` address in the public internet, without a user, a password and a fragment. The service sends events there"
}).check(Schema.isBetweenLength(1, 2_048))

const Description = Schema.NullOr(Text.check(Schema.isMaxLength(500))).annotate({
  description: "A description for operators"
})

const Types = Schema.NullOr(scopeList(EventType)).annotate({
  description: "The types of the events that the webhook receives; null for all types"
})

const Status = Schema.Literals(["enabled", "disabled"]).annotate({
  description: "A disabled webhook receives no events. When it is enabled again, it receives the events since then"
})

export const CreateWebhook = Schema.Struct({
  url: Url,
  types: Schema.optionalKey(Types),
  description: Schema.optionalKey(Description)
})

export const ChangeWebhook = Schema.Struct({
  url: Schema.optionalKey(Url),
  types: Schema.optionalKey(Types),
  description: Schema.optionalKey(Description),
  status: Schema.optionalKey(Status)
})

export const RotateWebhookSecret = Schema.Struct({
  overlap_hours: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 168 })).annotate({
      default: 24,
      description: "The hours for which the replaced secret also signs"
    })
  )
})

const webhookFields = {
  id: Schema.Int,
  url: Schema.String,
  description: Schema.NullOr(Schema.String),
  // A later version of the service can have stored types that this version does not know.
  types: Schema.NullOr(Schema.Array(Schema.String)).annotate({ description: "null for all types" }),
  status: Status,
  disabled_reason: Schema.NullOr(DisabledReason).annotate({
    description:
      "`operator`: disabled with the admin API; `gone`: the receiver responded with 410; `failing`: no delivery " +
      "succeeded for five days"
  }),
  failing_since: Schema.NullOr(Schema.String).annotate({
    description: "The time of the first failed attempt since the last successful attempt"
  }),
  previous_secret_expires_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
}

export const WebhookBody = Schema.Struct(webhookFields).annotate({
  identifier: "Webhook",
  description: "A webhook without its secret"
})

export const WebhookWithSecretBody = Schema.Struct({
  ...webhookFields,
  secret: Schema.String.annotate({ description: "The secret that signs messages. It cannot be read again" })
}).annotate({ identifier: "WebhookWithSecret", description: "A webhook. Its new secret is returned only here" })

export const WebhookList = Schema.Struct({ webhooks: Schema.Array(WebhookBody), next_cursor: NextCursor }).annotate({
  identifier: "WebhookList",
  description: "A page of webhooks"
})

export const DeliveryBody = Schema.Struct({
  event: Schema.Int.annotate({ description: "The id of the event; `webhook-id` is `evt_` and this id" }),
  type: Schema.String,
  state: DeliveryState.annotate({
    description:
      "`waiting`: the next attempt is at `next_attempt_at`; `delivered`: a response had a status from 200 to 299; " +
      "`failed`: the last attempt of the schedule failed"
  }),
  attempts: Schema.Int,
  last_attempt_at: Schema.NullOr(Schema.String),
  last_status: Schema.NullOr(Schema.Int).annotate({ description: "The status of the last response" }),
  last_error: Schema.NullOr(Schema.String).annotate({
    description: "Why the last attempt received no response, such as `timeout`, `private_address` or `ECONNREFUSED`"
  }),
  next_attempt_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "WebhookDelivery", description: "The delivery of an event to a webhook" })

export const DeliveryList = Schema.Struct({ deliveries: Schema.Array(DeliveryBody), next_cursor: NextCursor }).annotate(
  { identifier: "WebhookDeliveryList", description: "A page of deliveries" }
)

const webhookParams = { id: wholeNumber(1, maxId, "The webhook's id") }
const webhookPath = "/admin/v1/webhooks/:id"

/** The endpoints that manage webhooks. */
export const webhooksGroup = HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("createWebhook", "/admin/v1/webhooks", {
      payload: CreateWebhook,
      headers: ChangeHeaders,
      success: WebhookWithSecretBody,
      error: problemSchemas(...changeProblems, "webhook_limit", "secret_returned")
    }).annotateMerge(
      adminOperation("keys", {
        identifier: "createWebhook",
        summary: "Create a webhook",
        description:
          "Creates an enabled webhook, which receives the events that are recorded from now on. Only this response contains its secret."
      })
    ),
    HttpApiEndpoint.get("webhooks", "/admin/v1/webhooks", {
      query: PageQuery,
      success: WebhookList
    }).annotateMerge(
      adminOperation("read", {
        identifier: "listWebhooks",
        summary: "List webhooks",
        description: "Returns the webhooks in pages, oldest webhook first."
      })
    ),
    HttpApiEndpoint.get("webhook", webhookPath, {
      params: webhookParams,
      success: WebhookBody,
      error: problemSchemas("not_found")
    }).annotateMerge(
      adminOperation("read", { identifier: "getWebhook", summary: "Get a webhook", description: "Returns a webhook." })
    ),
    HttpApiEndpoint.patch("changeWebhook", webhookPath, {
      params: webhookParams,
      payload: ChangeWebhook,
      headers: ChangeHeaders,
      success: WebhookBody,
      error: problemSchemas(...changeProblems, "not_found")
    }).annotateMerge(
      adminOperation("keys", {
        identifier: "changeWebhook",
        summary: "Change a webhook",
        description: "Changes the given fields of a webhook, and enables or disables it."
      })
    ),
    HttpApiEndpoint.delete("deleteWebhook", webhookPath, {
      params: webhookParams,
      headers: ChangeHeaders,
      success: HttpApiSchema.NoContent.annotate({ description: "The webhook is deleted" }),
      error: problemSchemas("idempotency_key_reused", "not_found")
    }).annotateMerge(
      adminOperation("keys", {
        identifier: "deleteWebhook",
        summary: "Delete a webhook",
        description: "Deletes a webhook and its deliveries."
      })
    ),
    HttpApiEndpoint.post("rotateWebhookSecret", `${webhookPath}/rotate`, {
      params: webhookParams,
      payload: RotateWebhookSecret,
      headers: ChangeHeaders,
      success: WebhookWithSecretBody,
      error: problemSchemas(...changeProblems, "not_found", "secret_returned")
    }).annotateMerge(
      adminOperation("keys", {
        identifier: "rotateWebhookSecret",
        summary: "Rotate the secret of a webhook",
        description:
          "Creates a new secret. Until `previous_secret_expires_at`, each message has two signatures: one with the new " +
          "secret and one with the replaced secret."
      })
    ),
    HttpApiEndpoint.post("testWebhook", `${webhookPath}/test`, {
      params: webhookParams,
      headers: ChangeHeaders,
      success: WebhookBody,
      error: problemSchemas("idempotency_key_reused", "not_found", "webhook_disabled")
    }).annotateMerge(
      adminOperation("keys", {
        identifier: "testWebhook",
        summary: "Send a test event",
        description:
          "Records an event `webhook.test`, which is delivered within seconds, and only to this webhook. The webhook " +
          "receives the event even if `types` does not contain it."
      })
    ),
    HttpApiEndpoint.get("webhookDeliveries", `${webhookPath}/deliveries`, {
      params: webhookParams,
      query: {
        ...PageQuery,
        state: Schema.optionalKey(DeliveryState.annotate({ description: "Only deliveries in this state" }))
      },
      success: DeliveryList,
      error: problemSchemas("not_found")
    }).annotateMerge(
      adminOperation("read", {
        identifier: "listWebhookDeliveries",
        summary: "List deliveries",
        description: "Returns the deliveries of a webhook in pages, in the order of their events."
      })
    ),
    HttpApiEndpoint.post("retryWebhookDelivery", `${webhookPath}/deliveries/:event/retry`, {
      params: { ...webhookParams, event: wholeNumber(1, Number.MAX_SAFE_INTEGER, "The event's id") },
      headers: ChangeHeaders,
      success: DeliveryBody,
      error: problemSchemas("idempotency_key_reused", "not_found")
    }).annotateMerge(
      adminOperation("keys", {
        identifier: "retryWebhookDelivery",
        summary: "Retry a delivery",
        description:
          "Sends an event again within seconds, whatever the state of its delivery. The schedule of attempts starts again."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(AdminAuthorization)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "Webhooks, which send events to addresses of the operator.")
