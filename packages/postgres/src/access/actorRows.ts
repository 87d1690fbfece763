import type { PgClient } from "@effect/sql-pg"
import type { Actor } from "@tapeline/core/engine"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { nowMs, RowHeld } from "../patiently.ts"
import { overAt } from "./sessionRows.ts"

/** Locks the session or key of a change against its end until the change is committed. */
const lockActor = (table: "sessions" | "keys", isOver: string, without: boolean): string =>
  `with s as (
    select ${isOver} as over from ${table} s where account = $1::bigint and id = $2::bigint for share skip locked
  )
  select coalesce((select over from s), ${without}) as over, not exists (select from s)
    and exists (select from ${table} where account = $1::bigint and id = $2::bigint) as held`

const lockSession = lockActor("sessions", `${overAt} <= ${nowMs}`, true)
const lockKey = lockActor(
  "keys",
  `s.revoked_at is not null or coalesce(s.expires_at <= ${nowMs}, false) or not 'write:personal' = any (s.scopes)`,
  false
)

/**
 * Returns whether the session or key that makes a change of personal records is over, or the key lacks
 * `write:personal`. Within a transaction, it cannot end until the change is committed.
 */
export const hasActorEnded = (
  sql: PgClient.PgClient,
  account: number,
  actor: Actor | undefined
): Effect.Effect<boolean, SqlError | RowHeld> => {
  if (actor === undefined || actor._tag === "Task") return Effect.succeed(false)
  const [lock, id] = actor._tag === "Key" ? [lockKey, actor.key] : [lockSession, actor.session]
  return Effect.flatMap(
    sql.unsafe<{ readonly over: boolean; readonly held: boolean }>(lock, [String(account), String(id)]),
    ([row]) => row!.held ? Effect.fail(new RowHeld()) : Effect.succeed(row!.over)
  )
}
