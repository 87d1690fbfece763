import type { DeliveryRecord, DeliveryState, DisabledReason, LeasedWebhook, WebhookRecord } from "@tapeline/core/engine"
import { Redacted } from "effect"

export interface WebhookRow {
  readonly id: number
  readonly url: string
  readonly description: string | null
  readonly types: ReadonlyArray<string> | null
  readonly disabled_reason: DisabledReason | null
  readonly created_at: number
  readonly failing_since: number | null
  readonly previous_secret_expires_at: number | null
}

export const webhookColumns =
  `w.id::float8 as id, w.url, w.description, w.types, w.disabled_reason, w.created_at::float8 as created_at,
  w.failing_since::float8 as failing_since, w.previous_secret_expires_at::float8 as previous_secret_expires_at`

export const toWebhook = (row: WebhookRow): WebhookRecord => ({
  id: row.id,
  url: row.url,
  description: row.description,
  types: row.types,
  disabledReason: row.disabled_reason,
  createdAt: row.created_at,
  failingSince: row.failing_since,
  previousSecretExpiresAt: row.previous_secret_expires_at
})

export interface LeaseRow {
  readonly id: number
  readonly lease: number
  readonly url: string
  readonly secrets: ReadonlyArray<string>
  readonly failures: number
}

/** The columns of a leased webhook at the time `t.now`. */
export const leaseColumns = `w.id::float8 as id, w.lease::float8 as lease, w.url, w.failures,
  case when w.previous_secret_expires_at > t.now then array[w.secret, w.previous_secret] else array[w.secret] end
    as secrets`

export const toLease = ({ failures, id, lease, secrets, url }: LeaseRow): LeasedWebhook => ({
  id,
  lease,
  url,
  secrets: secrets.map((secret) => Redacted.make(secret)),
  failures
})

export interface DeliveryRow {
  readonly event: number
  readonly type: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly last_attempt_at: number | null
  readonly last_status: number | null
  readonly last_error: string | null
  readonly next_at: number | null
}

/** The columns of a delivery `d` and of the type of its event `e`. */
export const deliveryColumns = `d.event::float8 as event, e.type, d.state, d.attempts,
  d.last_attempt_at::float8 as last_attempt_at, d.last_status, d.last_error, d.next_at::float8 as next_at`

export const toDelivery = (row: DeliveryRow): DeliveryRecord => ({
  event: row.event,
  type: row.type,
  state: row.state,
  attempts: row.attempts,
  lastAttemptAt: row.last_attempt_at,
  lastStatus: row.last_status,
  lastError: row.last_error,
  nextAttemptAt: row.next_at
})
