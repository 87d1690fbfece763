import { type WebhookStore, webhookTestType } from "@tapeline/core/engine"
import { Effect } from "effect"
import { eventColumns, type EventRow, toEvent } from "../access/eventRows.ts"
import { sqlTimeOrNow } from "../access/rows.ts"
import type { BackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { int8 } from "../parameters.ts"
import { leaseColumns, type LeaseRow, toLease, toWebhook, webhookColumns, type WebhookRow } from "./webhookRows.ts"

/** Selects the current time as `t.now`. `parameter` is the time of a test, or null. */
const timeSql = (parameter: string) => `t as materialized (select ${sqlTimeOrNow(parameter)} as now)`

const isActiveSql = "w.deleted_at is null and w.disabled_reason is null"

/**
 * SQL that is true if the webhook of `s` selects the event of `s`. A test event is only for the webhook that the event
 * names.
 */
const isSelectedSql = `case when s.type = '${webhookTestType}' then s.target = 'webhook ' || s.webhook
  else s.types is null or s.type = any(s.types) end`

/** The rows are locked, so that no other process reads the same events for a webhook. */
const enqueue = `with ${timeSql("$2")}, behind as materialized (
    select w.id, w.cursor, w.types from webhooks w
    where ${isActiveSql} and exists (select from events e where e.id > w.cursor)
    order by w.id for no key update skip locked
  ), scanned as materialized (
    select b.id as webhook, b.types, e.id as event, e.type, e.target
    from behind b cross join lateral (
      select events.id, events.type, events.target from events where events.id > b.cursor order by events.id limit $1
    ) e
  ), added as (
    insert into webhook_deliveries (webhook, event, state, next_at)
    select s.webhook, s.event, 'waiting', t.now from scanned s cross join t where ${isSelectedSql}
    on conflict do nothing
  ), advanced as (
    update webhooks w set cursor = s.event
    from (select webhook, max(event) as event from scanned group by webhook) s where w.id = s.webhook
  )
  select count(*)::float8 as count from scanned`

const lease = `with ${timeSql("$2")}, ready as materialized (
    select w.id from webhooks w cross join t
    where ${isActiveSql} and w.lease_until <= t.now and w.paused_until <= t.now
      and exists (
        select from webhook_deliveries d where d.webhook = w.id and d.state = 'waiting' and d.next_at <= t.now
      )
    order by w.lease_until, w.id limit 1 for no key update of w skip locked
  )
  update webhooks w set lease = w.lease + 1, lease_until = t.now + $1
  from ready cross join t where w.id = ready.id returning ${leaseColumns}`

const selectDue = `with ${timeSql("$3")}
  select d.attempts, ${eventColumns("e.")}
  from webhook_deliveries d join events e on e.id = d.event cross join t
  where d.webhook = $1 and d.state = 'waiting' and d.next_at <= t.now order by d.event limit $2`

/**
 * Records an attempt of the newest lease. Keeps the `disabled_reason` of a disabled webhook, and reports the webhook as
 * newly disabled only once.
 */
const record = `with ${timeSql("$12")}, holder as materialized (
    select h.id, h.disabled_reason from webhooks h where h.id = $1 and h.lease = $2 for no key update
  ), attempted as (
    update webhook_deliveries d
    set attempts = $4, last_attempt_at = t.now, state = $5, last_status = $6, last_error = $7,
      next_at = case when $5 = 'waiting' then t.now + $8 end
    from holder cross join t where d.webhook = holder.id and d.event = $3
  )
  update webhooks w set
    lease_until = case when $5 = 'delivered' then t.now + $11 else 0 end,
    paused_until = t.now + $9,
    failures = case when $5 = 'delivered' then 0 else w.failures + 1 end,
    failing_since = case when $5 = 'delivered' then null else coalesce(w.failing_since, t.now) end,
    disabled_reason = case
      when w.disabled_reason is not null then w.disabled_reason
      when $10 then 'gone'
      when $5 = 'failed' and w.failing_since <= t.now - $13 then 'failing'
    end
  from holder cross join t where w.id = holder.id
  returning ${leaseColumns}, ${webhookColumns}, $5 = 'delivered' and ${isActiveSql} as can_continue,
    holder.disabled_reason is null and w.disabled_reason is not null as is_newly_disabled`

const selectOldest = `with ${timeSql("$1")}
  select coalesce(greatest(max(t.now - e.time), 0), 0)::float8 as age
  from webhooks w cross join t cross join lateral (
    select d.event from webhook_deliveries d where d.webhook = w.id and d.state = 'waiting' order by d.event limit 1
  ) d join events e on e.id = d.event
  where ${isActiveSql}`

const prune = `delete from webhook_deliveries where (webhook, event) in (
    select d.webhook, d.event from webhooks w join webhook_deliveries d on d.webhook = w.id
    where w.deleted_at is not null limit $1
  ) returning 1`

const pruneWebhooks = `delete from webhooks w where w.deleted_at is not null
  and not exists (select from webhook_deliveries d where d.webhook = w.id)`

/** Creates the methods of `WebhookStore` that deliver events. */
export const makeDeliveryMethods = (
  backgroundPool: BackgroundPool
): Pick<
  WebhookStore["Service"],
  "enqueue" | "lease" | "due" | "record" | "release" | "oldestWaitingMs" | "prune"
> => {
  const mapErrors = mapSqlErrors("WebhookStore")
  return {
    enqueue: (limit, now) =>
      Effect.map(
        mapErrors(backgroundPool.runWithLockTimeout((sql) =>
          sql.unsafe<{ readonly count: number }>(enqueue, [BigInt(limit), int8(now)])
        )),
        ([row]) =>
          row!.count
      ),
    lease: (leaseMs, now) =>
      Effect.map(
        mapErrors(backgroundPool.run((sql) => sql.unsafe<LeaseRow>(lease, [BigInt(leaseMs), int8(now)]))),
        ([row]) => row === undefined ? null : toLease(row)
      ),
    due: (webhook, limit, now) =>
      Effect.map(
        mapErrors(backgroundPool.run((sql) =>
          sql.unsafe<EventRow & { readonly attempts: number }>(selectDue, [BigInt(webhook), BigInt(limit), int8(now)])
        )),
        (rows) =>
          rows.map((row) => ({ event: toEvent(row), attempts: row.attempts }))
      ),
    record: (webhook, result, leaseMs, now) =>
      Effect.map(
        mapErrors(backgroundPool.runWithLockTimeout((sql) =>
          sql.unsafe<LeaseRow & WebhookRow & { readonly can_continue: boolean; readonly is_newly_disabled: boolean }>(
            record,
            [
              BigInt(webhook.id),
              BigInt(webhook.lease),
              BigInt(result.event),
              result.attempt,
              result.state,
              result.status,
              result.error,
              BigInt(result.delayMs),
              BigInt(result.pauseMs),
              result.isGone,
              BigInt(leaseMs),
              int8(now),
              BigInt(result.disableAfterMs)
            ]
          )
        )),
        ([row]) => ({
          next: row?.can_continue === true ? toLease(row) : null,
          disabled: row?.is_newly_disabled === true ? toWebhook(row) : null
        })
      ),
    release: ({ id, lease }) =>
      Effect.asVoid(
        mapErrors(backgroundPool.run((sql) =>
          sql.unsafe("update webhooks set lease_until = 0 where id = $1 and lease = $2", [BigInt(id), BigInt(lease)])
        ))
      ),
    oldestWaitingMs: (now) =>
      Effect.map(
        mapErrors(backgroundPool.run((sql) => sql.unsafe<{ readonly age: number }>(selectOldest, [int8(now)]))),
        ([row]) => row!.age
      ),
    prune: (limit) =>
      Effect.map(
        mapErrors(
          backgroundPool.run((sql) => Effect.tap(sql.unsafe(prune, [BigInt(limit)]), () => sql.unsafe(pruneWebhooks)))
        ),
        (rows) => rows.length
      )
  }
}
