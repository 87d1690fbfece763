import { PgClient } from "@effect/sql-pg"
import { type Actor, ActorEnded } from "@tapeline/core/engine"
import { NotificationStore, TaskFailpoints, withTaskFailpoints, writesKeptMs } from "@tapeline/core/personal"
import { Effect, Layer, Result } from "effect"
import { hasActorEnded } from "../access/actorRows.ts"
import { unavailable } from "../errors.ts"
import { bigints } from "../parameters.ts"
import { nowMs, patiently, wholly } from "../patiently.ts"
import { lockAccount } from "./accountRow.ts"
import { BellChannel } from "./BellChannel.ts"
import { notificationColumns, type NotificationRow, type OrNulls, toNotification } from "./rows.ts"

/**
 * Returns a row of nulls if there are no notifications, so that the value about all of them is always returned. Each
 * statement reads one moment.
 */
const listNotifications = `select (
    select count(*)::float8 from notifications where account = $1::bigint and not read
  ) as told, n.*
  from (select) one left join lateral (
    select ${notificationColumns("s")} from notifications s where account = $1::bigint and (not $2::boolean or not read)
    order by s.n desc limit $3::bigint
  ) n on true order by n.n desc`

const notificationsSince = `select coalesce((
    select notified::float8 from task_accounts where account = $1::bigint
  ), 0) as told, n.*
  from (select) one left join lateral (
    select ${notificationColumns("s")} from notifications s where account = $1::bigint and s.n > $2::bigint
    order by s.n limit $3::bigint
  ) n on true order by n.n`

type Row = OrNulls<NotificationRow> & { readonly told: number }

const findMark = `select marked::float8 as marked from notification_marks
  where account = $1::bigint and call = $2 and written_at > ${nowMs} - ${writesKeptMs}`

const markRead = `with u as (
    update notifications set read = true
    where account = $1::bigint and not read and ($3::bigint[] is null or n = any ($3::bigint[])) returning 1
  )
  insert into notification_marks (account, call, marked, written_at)
  select $1::bigint, $2, count(*), ${nowMs} from u
  on conflict (account, call) do update set marked = excluded.marked, written_at = excluded.written_at
  returning marked::float8 as marked`

/** `NotificationStore` on PostgreSQL or PGlite, on a current schema. Times are the database's. */
export const PgNotificationStore: Layer.Layer<never, never, PgClient.PgClient | BellChannel> = Layer.effect(
  NotificationStore,
  Effect.gen(function*() {
    const [sql, { wakes }, hook] = yield* Effect.all([PgClient.PgClient, BellChannel, TaskFailpoints])
    const guard = unavailable("NotificationStore")
    const change = patiently("NotificationStore")
    const read = (text: string, parameters: ReadonlyArray<string>) =>
      Effect.map(guard(sql.unsafe<Row>(text, parameters)), (rows) => ({
        // A row with a number is complete.
        notifications: rows.flatMap((row) => row.n === null ? [] : [toNotification(row as NotificationRow)]),
        told: rows[0]!.told
      }))
    const markOnce = (
      account: number,
      callId: string,
      numbers: ReadonlyArray<number> | null,
      by: Actor | undefined
    ) =>
      wholly(
        sql,
        Effect.gen(function*() {
          yield* lockAccount(sql, account)
          const call = [String(account), callId]
          const [known] = yield* sql.unsafe<{ readonly marked: number }>(findMark, call)
          if (known !== undefined) return Result.succeed(known.marked)
          if (yield* hasActorEnded(sql, account, by)) return Result.fail(new ActorEnded())
          const [row] = yield* sql.unsafe<{ readonly marked: number }>(markRead, [
            ...call,
            numbers === null ? null : bigints(numbers)
          ])
          return Result.succeed(row!.marked)
        })
      )
    return {
      list: (account, { limit, unreadOnly }) =>
        Effect.map(
          read(listNotifications, [String(account), String(unreadOnly), String(limit)]),
          ({ notifications, told: unread }) => ({ notifications, unread })
        ),
      since: (account, after, limit) =>
        Effect.map(
          read(notificationsSince, [String(account), String(after), String(limit)]),
          ({ notifications, told: newest }) => ({ notifications, newest })
        ),
      mark: (account, callId, numbers, by) =>
        Effect.flatMap(
          withTaskFailpoints(hook)("mark", change(markOnce(account, callId, numbers, by), { again: true })),
          (marked) => Effect.fromResult(marked)
        ),
      listen: (account) => wakes.listen(account)
    }
  })
)
