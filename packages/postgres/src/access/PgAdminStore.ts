import { PgClient } from "@effect/sql-pg"
import {
  adminResponseRetentionMs,
  AdminStore,
  CurrentAdminActor,
  type EventQuery,
  IdempotencyKeyReused,
  type StoreUnavailable
} from "@tapeline/core/engine"
import { Context, Effect, Layer } from "effect"
import { makeBackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { bigints, int8, texts } from "../parameters.ts"
import { idleTimeoutSql, nowMsSql } from "../rowLocks.ts"
import { AccessChannel } from "./AccessChannel.ts"
import { makeAdminTokenMethods } from "./adminTokenMethods.ts"
import { eventColumns, type EventRow, toEvent } from "./eventRows.ts"

const mapErrors = mapSqlErrors("AdminStore")

/** The maximum time in ms that a statement of an administrative transaction waits for a lock. */
const lockTimeoutMs = 1_000

/**
 * The accounts of the events that the current transaction has recorded, and 0 for events without an account; null
 * outside of a transaction.
 */
const RecordedAccounts = Context.Reference<Set<number> | null>("@tapeline/postgres/access/RecordedAccounts", {
  defaultValue: () => null
})

const insertEvent = `insert into events (time, type, actor, account, target, before, after, request_id, address)
  values (${nowMsSql}, $1, $2, $3, $4, $5, $6, $7, $8)`

const maxBigint = "9223372036854775807"

const selectEvents = (isNewestFirst: boolean) =>
  `select ${eventColumns()} from events
  where events.id > $1 and ($2::bigint is null or account = $2) and ($3::text[] is null or type = any($3))
    and ($4::bigint is null or time >= $4) and ($5::bigint is null or time < $5)
    and events.id < coalesce($7::bigint, ${maxBigint})
  order by events.id ${isNewestFirst ? "desc" : "asc"} limit $6`

const eventParameters = ({ account, after, before, limit, since, types, until }: EventQuery) => [
  BigInt(after),
  int8(account ?? null),
  texts(types ?? null),
  int8(since ?? null),
  int8(until ?? null),
  BigInt(limit),
  int8(before ?? null)
]

const stringify = (value: object | null) => value === null ? null : JSON.stringify(value)

/** Moves at most `$1` queued events to the log. Skips events that another process is moving. */
const publishQueued = `with queued as (
    delete from queued_events where (account, type, subject) in (
      select account, type, subject from queued_events
      order by time, account, type, subject limit $1 for update skip locked
    ) returning *
  )
  insert into events (time, type, actor, account, target, after)
  select time, type, 'service', account, target, after from queued order by time, account, type, subject
  returning 1`

/** Claims an idempotency key. Returns no row if an earlier request, which has committed, holds the key. */
const claimKey = `insert into admin_requests as r (actor, key, fingerprint, created_at)
  values ($1, $2, $3, ${nowMsSql})
  on conflict (actor, key) do update set fingerprint = excluded.fingerprint, created_at = excluded.created_at
    where r.created_at <= excluded.created_at - ${adminResponseRetentionMs}
  returning 1`

const storeResponse = `update admin_requests set response = $3, accounts = $4::bigint[]
  where actor = $1 and key = $2`

/** Deletes the oldest rows of a table that are older than `$1` ms. */
const deleteOld = (table: string, columns: string, time: string) =>
  `delete from ${table} where (${columns}) in (
    select ${columns} from ${table} where ${time} < ${nowMsSql} - $1::bigint order by ${time} limit $2
  ) returning 1`

const makeOnce = (
  sql: PgClient.PgClient,
  transact: AdminStore["Service"]["transact"]
): AdminStore["Service"]["once"] =>
({ actor, fingerprint, key }, change) =>
  transact(Effect.gen(function*() {
    const claimed = yield* mapErrors(sql.unsafe(claimKey, [actor, key, fingerprint]))
    if (claimed.length === 0) {
      const [row] = yield* mapErrors(sql.unsafe<{ readonly fingerprint: string; readonly response: string }>(
        "select fingerprint, response from admin_requests where actor = $1 and key = $2",
        [actor, key]
      ))
      return row!.fingerprint === fingerprint ? row!.response : yield* new IdempotencyKeyReused()
    }
    const response = yield* change
    const accounts = bigints([...(yield* RecordedAccounts) ?? []])
    yield* mapErrors(sql.unsafe(storeResponse, [actor, key, response, accounts]))
    return response
  }))

/** Implements `AdminStore` with PostgreSQL or PGlite. */
export const PgAdminStore: Layer.Layer<AdminStore, never, PgClient.PgClient | AccessChannel> = Layer.effect(
  AdminStore,
  Effect.gen(function*() {
    const [sql, backgroundPool, channel] = yield* Effect.all([PgClient.PgClient, makeBackgroundPool, AccessChannel])

    const beginTransaction = <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E | StoreUnavailable, R> =>
      Effect.suspend(() => {
        const accounts = new Set<number>()
        const limitWaits = sql.unsafe(
          `select set_config('lock_timeout', '${lockTimeoutMs}', true), ${idleTimeoutSql(sql)}`
        )
        return mapErrors<A, E, R>(sql.withTransaction(Effect.andThen(limitWaits, change))).pipe(
          Effect.provideService(RecordedAccounts, accounts),
          // The stores publish changes before the commit, so caches may have read the old rows.
          Effect.tap(() => {
            accounts.delete(0)
            return Effect.forEach(accounts, channel.publish, { discard: true })
          })
        )
      })

    const transact: AdminStore["Service"]["transact"] = (change) =>
      Effect.flatMap(
        Effect.serviceOption(sql.transactionService),
        ({ _tag }) => _tag === "Some" ? change : beginTransaction(change)
      )

    return AdminStore.of({
      ...makeAdminTokenMethods(backgroundPool),
      transact,
      once: makeOnce(sql, transact),
      record: (events) =>
        Effect.gen(function*() {
          const { actor, address, requestId } = yield* CurrentAdminActor
          const accounts = yield* RecordedAccounts
          for (const { account, after, before, target, type } of events) {
            accounts?.add(account ?? 0)
            yield* mapErrors(backgroundPool.runWithLockTimeout((sql) =>
              sql.unsafe(insertEvent, [
                type,
                actor,
                int8(account),
                target,
                stringify(before),
                stringify(after),
                requestId,
                address
              ])
            ))
          }
        }),
      publishQueued: (limit) =>
        Effect.map(
          mapErrors(backgroundPool.runWithLockTimeout((sql) => sql.unsafe(publishQueued, [BigInt(limit)]))),
          (rows) => rows.length
        ),
      events: (query) =>
        Effect.map(
          mapErrors(backgroundPool.run((sql) =>
            sql.unsafe<EventRow>(selectEvents(query.before !== undefined), eventParameters(query))
          )),
          (rows) =>
            rows.map(toEvent)
        ),
      prune: (retentionMs, limit) =>
        Effect.map(
          mapErrors(backgroundPool.run((sql) =>
            Effect.all([
              sql.unsafe(deleteOld("events", "id", "time"), [BigInt(retentionMs), BigInt(limit)]),
              sql.unsafe(deleteOld("admin_requests", "actor, key", "created_at"), [
                BigInt(adminResponseRetentionMs),
                BigInt(limit)
              ])
            ])
          )),
          ([events, responses]) => events.length + responses.length
        )
    })
  })
)
