import type { PgClient } from "@effect/sql-pg"
import { maxWebhooks, UnknownDelivery, UnknownWebhook, WebhookLimit, WebhookStore } from "@tapeline/core/engine"
import { Effect, Layer, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { sqlTimeOrNow } from "../access/rows.ts"
import { makeBackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { int8, texts } from "../parameters.ts"
import { makeDeliveryMethods } from "./deliveryMethods.ts"
import {
  deliveryColumns,
  type DeliveryRow,
  toDelivery,
  toWebhook,
  webhookColumns,
  type WebhookRow
} from "./webhookRows.ts"

const mapErrors = mapSqlErrors("WebhookStore")

/** Makes the check of the number of webhooks and the insertion of a webhook atomic. */
const lockCount = "select pg_advisory_xact_lock(hashtext('tapeline.webhooks'))"

const insertWebhook = `insert into webhooks as w (url, description, types, secret, created_at, cursor)
  values ($1, $2, $3, $4, ${sqlTimeOrNow("$5")}, (select coalesce(max(id), 0) from events))
  returning ${webhookColumns}`

const selectWebhooks = `select ${webhookColumns} from webhooks w
  where w.id > $1 and w.deleted_at is null order by w.id limit $2`

const selectWebhook = `select ${webhookColumns} from webhooks w where w.id = $1 and w.deleted_at is null`

/**
 * Each changed field has a flag, because null is a value of the fields. Enabling a webhook resets its earlier failures.
 */
const updateWebhook = `update webhooks w set
    url = coalesce($2, w.url),
    description = case when $3 then $4 else w.description end,
    types = case when $5 then $6 else w.types end,
    disabled_reason = case when $7 then null when $7 is null then w.disabled_reason
      else coalesce(w.disabled_reason, 'operator') end,
    failing_since = case when $7 then null else w.failing_since end,
    failures = case when $7 then 0 else w.failures end,
    paused_until = case when $7 then 0 else w.paused_until end
  where w.id = $1 returning ${webhookColumns}`

const rotateSecret = `update webhooks w set secret = $2, previous_secret = case when $3 > 0 then w.secret end,
    previous_secret_expires_at = case when $3 > 0 then ${sqlTimeOrNow("$4")} + $3 end
  where w.id = $1 and w.deleted_at is null returning ${webhookColumns}`

/** Removing a webhook deletes its secrets. */
const removeWebhook = `update webhooks w set deleted_at = ${sqlTimeOrNow("$2")}, secret = '', previous_secret = null
  where w.id = $1 and w.deleted_at is null returning ${webhookColumns}`

const selectDeliveries = `select ${deliveryColumns} from webhook_deliveries d join events e on e.id = d.event
  where d.webhook = $1 and d.event > $2 and ($4::text is null or d.state = $4) order by d.event limit $3`

const retryDelivery = `with retried as (
    update webhook_deliveries d set state = 'waiting', attempts = 0, next_at = ${sqlTimeOrNow("$3")}
    where d.webhook = $1 and d.event = $2 returning *
  ), resumed as (
    update webhooks w set paused_until = 0 from retried where w.id = retried.webhook
  )
  select ${deliveryColumns} from retried d join events e on e.id = d.event`

const firstWebhook = (id: number, rows: ReadonlyArray<WebhookRow>) =>
  rows[0] === undefined ? Effect.fail(new UnknownWebhook({ webhook: id })) : Effect.succeed(toWebhook(rows[0]))

/** Implements `WebhookStore` with PostgreSQL or PGlite. */
export const PgWebhookStore: Layer.Layer<WebhookStore, never, PgClient.PgClient> = Layer.effect(
  WebhookStore,
  Effect.map(makeBackgroundPool, (backgroundPool) => {
    const change = <A, E>(useClient: (sql: PgClient.PgClient) => Effect.Effect<A, E | SqlError>) =>
      mapErrors(backgroundPool.runWithLockTimeout((sql) => sql.withTransaction(useClient(sql))))
    const findWebhook = (id: number) =>
      Effect.flatMap(
        mapErrors(backgroundPool.run((sql) => sql.unsafe<WebhookRow>(selectWebhook, [BigInt(id)]))),
        (rows) => firstWebhook(id, rows)
      )

    return WebhookStore.of({
      ...makeDeliveryMethods(backgroundPool),
      create: ({ description, now, secret, types, url }) =>
        change((sql) =>
          Effect.gen(function*() {
            yield* sql.unsafe(lockCount)
            const [row] = yield* sql.unsafe<{ readonly count: number }>(
              "select count(*)::float8 as count from webhooks where deleted_at is null"
            )
            if (row!.count >= maxWebhooks) return yield* new WebhookLimit({ limit: maxWebhooks })
            const parameters = [url, description, texts(types), Redacted.value(secret), int8(now)]
            const [created] = yield* sql.unsafe<WebhookRow>(insertWebhook, parameters)
            return toWebhook(created!)
          })
        ),
      webhooks: ({ after, limit }) =>
        Effect.map(
          mapErrors(
            backgroundPool.run((sql) => sql.unsafe<WebhookRow>(selectWebhooks, [BigInt(after), BigInt(limit)]))
          ),
          (rows) => rows.map(toWebhook)
        ),
      webhook: findWebhook,
      update: (id, { description, isEnabled, types, url }) =>
        change((sql) =>
          Effect.gen(function*() {
            const before = yield* Effect.flatMap(
              sql.unsafe<WebhookRow>(`${selectWebhook} for no key update`, [BigInt(id)]),
              (rows) => firstWebhook(id, rows)
            )
            const [after] = yield* sql.unsafe<WebhookRow>(updateWebhook, [
              BigInt(id),
              url ?? null,
              description !== undefined,
              description ?? null,
              types !== undefined,
              texts(types ?? null),
              isEnabled ?? null
            ])
            return { before, after: toWebhook(after!) }
          })
        ),
      rotateSecret: (id, { now, overlapMs, secret }) =>
        change((sql) =>
          Effect.flatMap(
            sql.unsafe<WebhookRow>(rotateSecret, [BigInt(id), Redacted.value(secret), BigInt(overlapMs), int8(now)]),
            (rows) => firstWebhook(id, rows)
          )
        ),
      remove: (id, now) =>
        change((sql) =>
          Effect.flatMap(
            sql.unsafe<WebhookRow>(removeWebhook, [BigInt(id), int8(now)]),
            (rows) => firstWebhook(id, rows)
          )
        ),
      deliveries: Effect.fnUntraced(function*(webhook, { after, limit, state }) {
        yield* findWebhook(webhook)
        const parameters = [BigInt(webhook), BigInt(after), BigInt(limit), state ?? null]
        const rows = yield* mapErrors(
          backgroundPool.run((sql) => sql.unsafe<DeliveryRow>(selectDeliveries, parameters))
        )
        return rows.map(toDelivery)
      }),
      retry: (webhook, event, now) =>
        change((sql) =>
          Effect.gen(function*() {
            yield* Effect.flatMap(
              sql.unsafe<WebhookRow>(`${selectWebhook} for no key update`, [BigInt(webhook)]),
              (rows) => firstWebhook(webhook, rows)
            )
            const parameters = [BigInt(webhook), BigInt(event), int8(now)]
            const [row] = yield* sql.unsafe<DeliveryRow>(retryDelivery, parameters)
            return row === undefined ? yield* new UnknownDelivery({ event }) : toDelivery(row)
          })
        )
    })
  })
)
