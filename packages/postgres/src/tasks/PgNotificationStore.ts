import { PgClient } from "@effect/sql-pg"
import { type Actor, ActorEnded } from "@tapeline/core/engine"
import { NotificationStore, TaskFailpoints, withTaskFailpoints, writeRetentionMs } from "@tapeline/core/personal"
import { Effect, Layer, Result } from "effect"
import { hasActorEnded } from "../access/actorLock.ts"
import { mapSqlErrors } from "../errors.ts"
import { bigints } from "../parameters.ts"
import { makeLockRetry, nowMsSql, runTransaction } from "../rowLocks.ts"
import { lockAccount } from "./accountLock.ts"
import { NotificationChannel } from "./NotificationChannel.ts"
import { notificationColumns, type NotificationRow, type Nullable, toNotification } from "./rows.ts"

/**
 * Selects notifications and the number of unread notifications. If no notification matches, the query returns one row
 * with the unread count and nulls.
 */
const listNotifications = `select (
    select count(*)::float8 from notifications where account = $1::bigint and not read
  ) as counter, n.*
  from (select) one left join lateral (
    select ${notificationColumns("s")} from notifications s where account = $1::bigint and (not $2::boolean or not read)
    order by s.n desc limit $3::bigint
  ) n on true order by n.n desc`

const notificationsSince = `select coalesce((
    select notified::float8 from task_accounts where account = $1::bigint
  ), 0) as counter, n.*
  from (select) one left join lateral (
    select ${notificationColumns("s")} from notifications s where account = $1::bigint and s.n > $2::bigint
    order by s.n limit $3::bigint
  ) n on true order by n.n`

type Row = Nullable<NotificationRow> & {
  /**
   * In rows of `list`, `counter` is the number of unread notifications. In rows of `listAfter`, `counter` is the number
   * of the newest notification.
   */
  readonly counter: number
}

const findReadMark = `select marked::float8 as marked from notification_marks
  where account = $1::bigint and call = $2 and written_at > ${nowMsSql} - ${writeRetentionMs}`

const markRead = `with u as (
    update notifications set read = true
    where account = $1::bigint and not read and ($3::bigint[] is null or n = any ($3::bigint[])) returning 1
  )
  insert into notification_marks (account, call, marked, written_at)
  select $1::bigint, $2, count(*), ${nowMsSql} from u
  on conflict (account, call) do update set marked = excluded.marked, written_at = excluded.written_at
  returning marked::float8 as marked`

/** Implements `NotificationStore` with PostgreSQL or PGlite, and takes all times from the clock of the database. */
export const PgNotificationStore: Layer.Layer<never, never, PgClient.PgClient | NotificationChannel> = Layer.effect(
  NotificationStore,
  Effect.gen(function*() {
    const [sql, { waiters }, failpoints] = yield* Effect.all([PgClient.PgClient, NotificationChannel, TaskFailpoints])
    const mapErrors = mapSqlErrors("NotificationStore")
    const runChange = makeLockRetry("NotificationStore")
    const queryNotifications = (text: string, parameters: ReadonlyArray<string>) =>
      Effect.map(mapErrors(sql.unsafe<Row>(text, parameters)), (rows) => ({
        // The cast is safe, because a row with a notification number has all columns of a notification.
        notifications: rows.flatMap((row) => row.n === null ? [] : [toNotification(row as NotificationRow)]),
        counter: rows[0]!.counter
      }))
    const attemptMark = (
      account: number,
      callId: string,
      numbers: ReadonlyArray<number> | null,
      actor: Actor | undefined
    ) =>
      runTransaction(
        sql,
        Effect.gen(function*() {
          yield* lockAccount(sql, account)
          const call = [String(account), callId]
          const [earlierMark] = yield* sql.unsafe<{ readonly marked: number }>(findReadMark, call)
          if (earlierMark !== undefined) return Result.succeed(earlierMark.marked)
          if (yield* hasActorEnded(sql, account, actor)) return Result.fail(new ActorEnded())
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
          queryNotifications(listNotifications, [String(account), String(unreadOnly), String(limit)]),
          ({ notifications, counter: unread }) => ({ notifications, unread })
        ),
      listAfter: (account, after, limit) =>
        Effect.map(
          queryNotifications(notificationsSince, [String(account), String(after), String(limit)]),
          ({ notifications, counter: newest }) => ({ notifications, newest })
        ),
      markRead: (account, callId, numbers, by) =>
        Effect.flatMap(
          withTaskFailpoints(failpoints)(
            "mark",
            runChange(attemptMark(account, callId, numbers, by), { retriesConflicts: true })
          ),
          (marked) => Effect.fromResult(marked)
        ),
      listen: (account) => waiters.listen(account)
    }
  })
)
