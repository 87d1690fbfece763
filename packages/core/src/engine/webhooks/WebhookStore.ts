import { Context, type Effect, type Redacted } from "effect"
import type { EventType, RecordedEvent } from "../access/AdminStore.ts"
import type { PageAfter } from "../access/KeyStore.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type {
  DeliveryRecord,
  DeliveryState,
  UnknownDelivery,
  UnknownWebhook,
  WebhookChange,
  WebhookLimit,
  WebhookRecord
} from "./webhook.ts"

/** A webhook that a process has leased. Only the holder of the lease sends to the webhook. */
export interface LeasedWebhook {
  readonly id: number
  /** The number of the lease. A later lease of the webhook has a higher number. */
  readonly lease: number
  readonly url: string
  /** The current secret, and the previous secret until its expiry. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  /** The number of attempts that have failed since the last successful attempt. */
  readonly failures: number
}

/** A delivery whose next attempt is due. */
export interface DueDelivery {
  readonly event: RecordedEvent
  /** The number of earlier attempts. */
  readonly attempts: number
}

/** The result of an attempt. */
export interface AttemptResult {
  readonly event: number
  /** The number of this attempt, from 1. */
  readonly attempt: number
  readonly state: DeliveryState
  readonly status: number | null
  readonly error: string | null
  /** The time in ms until the next attempt of this delivery, if the state is `waiting`. */
  readonly delayMs: number
  /** The time in ms for which nothing is sent to the webhook. */
  readonly pauseMs: number
  /** Whether the receiver responded with status 410, and so wants no more messages. */
  readonly isGone: boolean
  /** If the state is `failed` and no attempt has succeeded for this time in ms, the webhook is disabled. */
  readonly disableAfterMs: number
}

/** The result of `record`. */
export interface RecordedAttempt {
  /** The webhook, if its holder can send the next delivery; null if the lease has ended. */
  readonly next: LeasedWebhook | null
  /** The webhook, if this attempt disabled it. */
  readonly disabled: WebhookRecord | null
}

/**
 * Stores webhooks, and the deliveries of recorded events to them. An adapter shares its database with `AdminStore`, and
 * its changes join the transactions of `AdminStore`.
 *
 * If `now` is null, the store uses its own clock. Only tests pass a `now` other than null.
 */
export class WebhookStore extends Context.Service<WebhookStore, {
  /**
   * Adds an enabled webhook, which receives the events that are recorded from now on. Fails with `WebhookLimit` if
   * `maxWebhooks` webhooks exist.
   */
  readonly create: (webhook: {
    readonly url: string
    readonly description: string | null
    readonly types: ReadonlyArray<EventType> | null
    readonly secret: Redacted.Redacted<string>
    readonly now: number | null
  }) => Effect.Effect<WebhookRecord, WebhookLimit | StoreUnavailable>
  /** Returns a page of webhooks, oldest webhook first. */
  readonly webhooks: (page: PageAfter) => Effect.Effect<ReadonlyArray<WebhookRecord>, StoreUnavailable>
  readonly webhook: (id: number) => Effect.Effect<WebhookRecord, UnknownWebhook | StoreUnavailable>
  /**
   * Changes the given fields of a webhook. A disabled webhook keeps its position in the events, so that it receives all
   * later events when it is enabled again. Enabling a webhook resets its failures.
   */
  readonly update: (id: number, change: WebhookChange) => Effect.Effect<
    { readonly before: WebhookRecord; readonly after: WebhookRecord },
    UnknownWebhook | StoreUnavailable
  >
  /**
   * Replaces the secret. For `overlapMs`, the replaced secret also signs messages. An older secret stops signing
   * immediately.
   */
  readonly rotateSecret: (id: number, rotation: {
    readonly secret: Redacted.Redacted<string>
    readonly overlapMs: number
    readonly now: number | null
  }) => Effect.Effect<WebhookRecord, UnknownWebhook | StoreUnavailable>
  /** Deletes a webhook, and returns its last state. `prune` later deletes the webhook's deliveries. */
  readonly remove: (id: number, now: number | null) => Effect.Effect<WebhookRecord, UnknownWebhook | StoreUnavailable>
  /** Returns deliveries of a webhook in the order of their events. `after` is the id of an event. */
  readonly deliveries: (
    webhook: number,
    query: PageAfter & {
      readonly state?: DeliveryState | undefined
    }
  ) => Effect.Effect<ReadonlyArray<DeliveryRecord>, UnknownWebhook | StoreUnavailable>
  /** Makes a delivery due, whatever its state, and restarts its schedule of attempts. Ends the webhook's pause. */
  readonly retry: (webhook: number, event: number, now: number | null) => Effect.Effect<
    DeliveryRecord,
    UnknownWebhook | UnknownDelivery | StoreUnavailable
  >
  /**
   * Adds deliveries for at most `limit` further events per enabled webhook. Each event that a webhook selects gets one
   * delivery, even if several processes call `enqueue`. An event `webhook.test` is only for the webhook that it names.
   * Returns the number of events that were read.
   */
  readonly enqueue: (limit: number, now: number | null) => Effect.Effect<number, StoreUnavailable>
  /**
   * Leases an enabled webhook that is not paused and has a due delivery, or returns null. No other lease of the webhook
   * exists for `leaseMs`, unless `record` or `release` ends the lease.
   */
  readonly lease: (leaseMs: number, now: number | null) => Effect.Effect<LeasedWebhook | null, StoreUnavailable>
  /** Returns at most `limit` due deliveries of a webhook, in the order of their events. */
  readonly due: (webhook: number, limit: number, now: number | null) => Effect.Effect<
    ReadonlyArray<DueDelivery>,
    StoreUnavailable
  >
  /**
   * Records the result of an attempt. Renews the lease for `leaseMs` if the event was delivered, and otherwise ends the
   * lease and pauses the webhook. Changes nothing if the lease is not the newest one. If the result of one attempt is
   * recorded twice, the second record changes only the times and the number of failures.
   */
  readonly record: (
    webhook: LeasedWebhook,
    result: AttemptResult,
    leaseMs: number,
    now: number | null
  ) => Effect.Effect<RecordedAttempt, StoreUnavailable>
  /** Ends a lease. Does nothing if the lease is not the newest one. */
  readonly release: (webhook: LeasedWebhook) => Effect.Effect<void, StoreUnavailable>
  /** Returns the age in ms of the oldest event that waits for its delivery to an enabled webhook; 0 if none waits. */
  readonly oldestWaitingMs: (now: number | null) => Effect.Effect<number, StoreUnavailable>
  /**
   * Deletes at most `limit` deliveries of deleted webhooks, and returns their number. Also deletes the remaining data
   * of deleted webhooks that have no deliveries.
   */
  readonly prune: (limit: number) => Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/webhooks/WebhookStore") {}

/** The type of the event that tests a webhook. */
export const webhookTestType = "webhook.test"

/** Returns the `target` field of a webhook's events. */
export const webhookTarget = (id: number): string => `webhook ${id}`
