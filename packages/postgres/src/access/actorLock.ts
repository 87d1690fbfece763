import type { PgClient } from "@effect/sql-pg"
import type { Actor } from "@tapeline/core/engine"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { nowMsSql, RowLocked } from "../rowLocks.ts"
import { sessionEndSql } from "./rows.ts"

/**
 * Returns SQL that locks the session or key that authorizes a change. The lock keeps the session or key valid until the
 * commit.
 */
const lockActorSql = (table: "sessions" | "keys", endedCondition: string, endedIfMissing: boolean): string =>
  `with s as (
    select ${endedCondition} as over from ${table} s where account = $1::bigint and id = $2::bigint
    for share skip locked
  )
  select coalesce((select over from s), ${endedIfMissing}) as over, not exists (select from s)
    and exists (select from ${table} where account = $1::bigint and id = $2::bigint) as held`

const lockSessionSql = lockActorSql("sessions", `${sessionEndSql} <= ${nowMsSql}`, true)
const lockKeySql = lockActorSql(
  "keys",
  `s.revoked_at is not null or coalesce(s.expires_at <= ${nowMsSql}, false) or not 'write:personal' = any (s.scopes)`,
  false
)

/**
 * Returns true if the session or API key of a change has ended, or if the key lacks the scope `write:personal`. Locks
 * the session or key until the transaction ends.
 */
export const hasActorEnded = (
  sql: PgClient.PgClient,
  account: number,
  actor: Actor | undefined
): Effect.Effect<boolean, SqlError | RowLocked> => {
  if (actor === undefined || actor._tag === "Task") return Effect.succeed(false)
  const [lock, id] = actor._tag === "Key" ? [lockKeySql, actor.key] : [lockSessionSql, actor.session]
  return Effect.flatMap(
    sql.unsafe<{ readonly over: boolean; readonly held: boolean }>(lock, [String(account), String(id)]),
    ([row]) => row!.held ? Effect.fail(new RowLocked()) : Effect.succeed(row!.over)
  )
}

/**
 * Returns whether the actor of a change is a key with monthly credits of its own. The caller must call `hasActorEnded`
 * first.
 */
export const isKeyLimited = (
  sql: PgClient.PgClient,
  account: number,
  actor: Actor | undefined
): Effect.Effect<boolean, SqlError> =>
  actor?._tag !== "Key" ? Effect.succeed(false) : Effect.map(
    sql<{ readonly limited: boolean }>`select exists (
      select from keys where account = ${BigInt(account)} and id = ${BigInt(actor.key)} and monthly_credits is not null
    ) as limited`,
    ([row]) => row!.limited
  )
