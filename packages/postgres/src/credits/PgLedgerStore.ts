import { PgClient } from "@effect/sql-pg"
import {
  type Admission,
  type Ending,
  type EndRequest,
  Failpoints,
  LedgerStore,
  type MonthBooks,
  type ReserveRequest,
  withFailpoints
} from "@tapeline/core/credits"
import type { StoreUnavailable } from "@tapeline/core/store"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { AccessChannel } from "../access/AccessChannel.ts"
import { unavailable } from "../errors.ts"
import { bigints, texts } from "../parameters.ts"
import { endBatch, monthNumber, reserveBatch } from "./batch.ts"

interface ReserveRow {
  readonly verdicts: ReadonlyArray<string>
  readonly entries: ReadonlyArray<number | null>
  readonly lefts: ReadonlyArray<number | null>
  readonly details: ReadonlyArray<number | null>
  readonly answers: ReadonlyArray<string | null> | null
}

interface EndRow {
  readonly lefts: ReadonlyArray<number>
  readonly ended: ReadonlyArray<number> | null
}

interface BooksRow {
  readonly allotted: number
  readonly used: number
  readonly reserved: number
  readonly tool: string | null
  readonly calls: number
  readonly failed: number
  readonly credits: number
}

/** The hot statements that stand outside functions. */
export const renewEntry = `update credit_entries set expires_at = greatest(expires_at, $3::bigint)
  where id = $1::bigint and ended_at is null and expires_at > $2::bigint`

export const recallEntry = `select state, fingerprint, expires_at::float8 as expires_at, answer from credit_entries
  where account = $1::bigint and idempotency_key = $2 and state in ('reserved', 'settled')
    and case when state = 'reserved' then expires_at else retained_until end > $3::bigint`

export const readBooks = `select coalesce(m.allotted, p.monthly_credits, 0)::float8 as allotted,
    coalesce(m.used, 0)::float8 as used, coalesce(m.reserved, 0)::float8 as reserved,
    u.tool, u.calls::float8 as calls, u.failed::float8 as failed, u.credits::float8 as credits
  from accounts a
  left join plans p on p.name = a.plan
  left join credit_months m on m.account = a.id and m.month = $2::integer
  left join credit_usage u on u.account = a.id and u.month = $2::integer
  where a.id = $1::bigint order by u.tool collate "C"`

export const countAnswers = `select count(*)::float8 as count from credit_entries
  where account = $1::bigint and reserved_at >= $2::bigint
    and tool = 'agent.answer' and state in ('reserved', 'settled')`

/** Answers forgotten in one statement. */
const pruneBatch = 1_000

/** Failures after which the database has undone the whole statement, and which another try may not meet. */
const isConflict = (error: SqlError): boolean =>
  ["DeadlockError", "SerializationError", "UniqueViolation", "LockTimeoutError"].includes(error.reason._tag)

/** `LedgerStore` on PostgreSQL or PGlite. */
export const PgLedgerStore: Layer.Layer<LedgerStore, never, PgClient.PgClient | AccessChannel> = Layer.effect(
  LedgerStore,
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const channel = yield* AccessChannel
    const hook = yield* Failpoints
    const guard = unavailable("LedgerStore")
    // A batch runs in the context of its first caller, and that caller's transaction is not the others'.
    const outsideTransactions = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.updateContext(
        effect,
        (context: Context.Context<never>): Context.Context<never> => Context.omit(sql.transactionService)(context)
      )
    const whole = <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, StoreUnavailable> =>
      guard(outsideTransactions(Effect.retry(statement, { times: 5, while: isConflict })))

    // By itself, so that no month is locked meanwhile.
    const prune = (now: number): Effect.Effect<void, StoreUnavailable> =>
      Effect.flatMap(
        whole(sql.unsafe<{ count: number }>("select credit_prune($1, $2) as count", [bigint(now), pruneBatch])),
        ([row]) => row!.count < pruneBatch ? Effect.void : prune(now)
      )

    return LedgerStore.of({
      reserve: (requests: ReadonlyArray<ReserveRequest>) => {
        if (requests.length === 0) return Effect.succeed<ReadonlyArray<Admission>>([])
        const batch = reserveBatch(requests)
        return withFailpoints(hook, "reserve")(Effect.map(
          whole(sql.unsafe<ReserveRow>(
            "select * from credit_reserve($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            batch.parameters
          )),
          ([row]) => batch.admissions(row!)
        ))
      },
      end: (requests: ReadonlyArray<EndRequest>) => {
        if (requests.length === 0) return Effect.succeed<ReadonlyArray<Ending>>([])
        const batch = endBatch(requests)
        return withFailpoints(hook, "end")(Effect.map(
          whole(sql.unsafe<EndRow>("select * from credit_end($1, $2, $3, $4, $5, $6, $7)", batch.parameters)),
          ([row]) => batch.endings(row!)
        ))
      },
      renew: (reservation, now, expiresAt) =>
        withFailpoints(hook, "renew")(Effect.map(
          whole(sql.unsafe(`${renewEntry} returning id`, [bigint(reservation.entry), bigint(now), bigint(expiresAt)])),
          (rows) => rows.length > 0
        )),
      expire: (now, limit) =>
        withFailpoints(hook, "expire")(Effect.map(
          whole(sql.unsafe<{ count: number }>("select credit_expire($1, $2) as count", [bigint(now), limit])),
          ([row]) => row!.count
        )).pipe(Effect.tap(() => prune(now))),
      recall: (account, { fingerprint, key }, now) =>
        Effect.map(
          guard(sql.unsafe<{ state: string; fingerprint: string; expires_at: number; answer: string | null }>(
            recallEntry,
            [bigint(account), key, bigint(now)]
          )),
          ([row]) => {
            if (row === undefined) return null
            if (row.fingerprint !== fingerprint) return { _tag: "Reused" as const }
            return row.state === "reserved"
              ? { _tag: "InProgress" as const, expiresAt: row.expires_at }
              : { _tag: "Replayed" as const, answer: row.answer ?? "" }
          }
        ),
      books: (account, month) =>
        Effect.map(
          guard(sql.unsafe<BooksRow>(readBooks, [bigint(account), monthNumber(month)])),
          (rows): MonthBooks | null => {
            const [first] = rows
            if (first === undefined) return null
            const { allotted, reserved, used } = first
            return {
              month,
              allotted,
              used,
              reserved,
              left: Math.max(0, allotted - used - reserved),
              tools: rows.flatMap(({ calls, credits, failed, tool }) =>
                tool === null ? [] : [{ name: tool, calls, failed, credits }]
              )
            }
          }
        ),
      answersSince: (account, since) =>
        Effect.map(
          guard(sql.unsafe<{ count: number }>(countAnswers, [bigint(account), bigint(since)])),
          ([row]) => row!.count
        ),
      changePlan: (account, plan, month) =>
        withFailpoints(hook, "changePlan")(Effect.tap(
          Effect.map(
            whole(sql.unsafe<{ done: boolean }>("select credit_change_plan($1, $2, $3) as done", [
              bigint(account),
              plan,
              monthNumber(month)
            ])),
            ([row]) => row!.done
          ),
          (done) => done ? channel.publish(account) : Effect.void
        )),
      definePlans: (monthlyCredits, month) =>
        withFailpoints(hook, "definePlans")(Effect.asVoid(whole(sql.unsafe("select credit_define_plans($1, $2, $3)", [
          texts(Object.keys(monthlyCredits)),
          bigints(Object.values(monthlyCredits)),
          monthNumber(month)
        ]))))
    })
  })
)

const bigint = (value: number): bigint => BigInt(value)
