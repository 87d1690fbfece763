import { Schema } from "effect"
import type { EventType } from "../access/AdminStore.ts"
import { formatMessage } from "../messages/language.ts"

/** The maximum number of webhooks that are not deleted. */
export const maxWebhooks = 50

/** The reason why a webhook receives no events: an operator, a response with status 410, or only failed deliveries. */
export const DisabledReason = Schema.Literals(["operator", "gone", "failing"])
export type DisabledReason = typeof DisabledReason.Type

/** The stored data of a webhook, without its secrets. Times are in epoch ms. */
export interface WebhookRecord {
  readonly id: number
  readonly url: string
  readonly description: string | null
  /** The types of the events that the webhook receives; null for all types. */
  readonly types: ReadonlyArray<string> | null
  /** The reason why the webhook is disabled; null if the webhook is enabled. */
  readonly disabledReason: DisabledReason | null
  readonly createdAt: number
  /** The time of the first failed attempt since the last successful attempt; null after a successful attempt. */
  readonly failingSince: number | null
  /** The time until which the previous secret also signs; null without a previous secret. */
  readonly previousSecretExpiresAt: number | null
}

/** The changes of a webhook; an omitted field stays unchanged. */
export interface WebhookChange {
  readonly url?: string | undefined
  readonly description?: string | null | undefined
  readonly types?: ReadonlyArray<EventType> | null | undefined
  readonly isEnabled?: boolean | undefined
}

/** The states of a delivery. */
export const DeliveryState = Schema.Literals(["waiting", "delivered", "failed"])
export type DeliveryState = typeof DeliveryState.Type

/** The delivery of one event to one webhook. Times are in epoch ms. */
export interface DeliveryRecord {
  /** The id of the event. */
  readonly event: number
  readonly type: string
  readonly state: DeliveryState
  /** The number of attempts since the event was recorded, or since an operator requested a retry. */
  readonly attempts: number
  readonly lastAttemptAt: number | null
  /** The status of the last response; null if the last attempt received no response. */
  readonly lastStatus: number | null
  /** The reason why the last attempt received no response, such as `timeout`. */
  readonly lastError: string | null
  /** The earliest time of the next attempt; null unless the state is `waiting`. */
  readonly nextAttemptAt: number | null
}

/** The error for the id of a webhook that does not exist. */
export class UnknownWebhook extends Schema.TaggedError<UnknownWebhook>()("UnknownWebhook", { webhook: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "unknown_webhook", params: { id: this.webhook } }, "en")
  }
}

/** The error for an event that has no delivery to the webhook. */
export class UnknownDelivery extends Schema.TaggedError<UnknownDelivery>()("UnknownDelivery", { event: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "unknown_delivery", params: { id: this.event } }, "en")
  }
}

/** The error of a service that has the maximum number of webhooks. */
export class WebhookLimit extends Schema.TaggedError<WebhookLimit>()("WebhookLimit", { limit: Schema.Int }) {
  override get message(): string {
    return formatMessage({ key: "webhook_limit", params: { limit: this.limit } }, "en")
  }
}

/** The error for a test of a disabled webhook. */
export class WebhookDisabled extends Schema.TaggedError<WebhookDisabled>()("WebhookDisabled", {
  webhook: Schema.Int
}) {
  override get message(): string {
    return formatMessage({ key: "webhook_disabled", params: { id: this.webhook } }, "en")
  }
}

/** The reason why the service never sends to a URL. `private`: the address is in a private or reserved network. */
export type WebhookUrlProblem = "not_https" | "credentials" | "private" | "invalid"

/** The error for a URL to which the service never sends. */
export class WebhookUrlRejected extends Schema.TaggedError<WebhookUrlRejected>()("WebhookUrlRejected", {
  reason: Schema.Literals(["not_https", "credentials", "private", "invalid"])
}) {
  override get message(): string {
    return formatMessage({ key: `webhook_url_${this.reason}` }, "en")
  }
}
