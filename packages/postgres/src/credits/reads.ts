import {
  type IdempotencyState,
  type MonthBalance,
  type MonthCredits,
  monthEnd,
  type MonthUsage,
  toCreditsLeft,
  type UsageCaller
} from "@tapeline/core/engine"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { fromMonthNumber } from "./batch.ts"

/*
 * The reads of the ledger that are not SQL functions. The last parameter of each read replaces the current time in
 * tests.
 */

const dayMs = 86_400_000

/** Returns SQL for the current time in epoch ms, which a parameter that is not null replaces. */
export const nowSql = (parameter: string) =>
  `coalesce(${parameter}::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)`

/**
 * Selects the state of an idempotency key. A key can be used again if the row is missing, or if the row is neither
 * running nor retained.
 */
export const selectIdempotencyKey = `select i.fingerprint, i.answer, i.month, i.entry::float8 as entry, e.state,
    (e.expires_at - t.now)::float8 as lapses_in_ms,
    i.retained_until > t.now as retained
  from (select ${nowSql("$3")} as now offset 0) t
  join credit_idempotency i on i.account = $1::bigint and i.key = $2
  join credit_reservations e on e.account = i.account and e.month = i.month and e.id = i.entry`

export interface IdempotencyRow {
  readonly fingerprint: string
  readonly answer: string | null
  readonly month: number
  readonly entry: number
  readonly state: string
  readonly lapses_in_ms: number
  readonly retained: boolean
}

export const toRecollection = (row: IdempotencyRow | undefined, fingerprint: string): IdempotencyState | null => {
  if (row === undefined) return null
  const isRunning = row.state === "reserved" && row.lapses_in_ms > 0
  if (!isRunning && !(row.state === "settled" && row.retained)) return null
  if (row.fingerprint !== fingerprint) return { _tag: "Reused" }
  return isRunning
    ? { _tag: "InProgress", lapsesInMs: row.lapses_in_ms }
    : { _tag: "Replayed", response: row.answer ?? "", call: { month: fromMonthNumber(row.month), entry: row.entry } }
}

/**
 * Returns SQL that selects the balance of a month and the month's usage. The query `lines` selects the usage rows, and
 * can refer to `a` (the account) and `t` (the month).
 */
const selectMonthSql = (lines: string, columns: string) =>
  `select t.month, coalesce(m.allotted, p.monthly_credits, 0)::float8 as allotted,
    coalesce(m.adjusted, 0)::float8 as adjusted, coalesce(m.used, 0)::float8 as used,
    coalesce(m.reserved, 0)::float8 as reserved,
    u.tool, ${columns}u.calls::float8 as calls, u.failed::float8 as failed, u.credits::float8 as credits
  from (select coalesce($2::integer, credit_month(${nowSql("$3")})) as month offset 0) t
  join accounts a on a.id = $1::bigint
  left join plans p on p.name = a.plan
  left join credit_months m on m.account = a.id and m.month = t.month
  left join lateral (
    ${lines}
  ) u on true`

const usageSums = "sum(d.calls) as calls, sum(d.failed) as failed, sum(d.credits) as credits"
const fromUsageOfMonth = "from credit_usage_days d where d.account = a.id and d.month = t.month"

export const selectBalance = `${selectMonthSql(`select d.tool, ${usageSums} ${fromUsageOfMonth} group by d.tool`, "")}
  order by u.tool collate "C"`

/** The numbers of a month's row. */
export interface CreditsRow {
  readonly month: number
  readonly allotted: number
  readonly adjusted: number
  readonly used: number
  readonly reserved: number
}

export interface BalanceRow extends CreditsRow {
  readonly tool: string | null
  readonly calls: number
  readonly failed: number
  readonly credits: number
}

export const toCredits = ({ adjusted, allotted, month, reserved, used }: CreditsRow): MonthCredits => ({
  month: fromMonthNumber(month),
  monthlyCredits: allotted,
  adjusted,
  used,
  reserved,
  left: toCreditsLeft(allotted + adjusted - used - reserved),
  renewsAt: monthEnd(fromMonthNumber(month))
})

export const toBalance = (rows: ReadonlyArray<BalanceRow>): MonthBalance | null => {
  const [first] = rows
  if (first === undefined) return null
  return {
    ...toCredits(first),
    tools: rows.flatMap(({ calls, credits, failed, tool }) =>
      tool === null ? [] : [{ name: tool, calls, failed, credits }]
    )
  }
}

/** SQL for the caller of a usage row. The SQL returns null for migrated usage rows, because their caller is unknown. */
const knownCaller = "case when d.day > 0 then d.caller end"

/**
 * Selects the balance and usage of a month. In each usage row, exactly one of the columns `tool`, `day` and `caller` is
 * not null.
 */
export const selectUsage = `${
  selectMonthSql(
    `select d.tool, d.day, ${knownCaller} as caller, ${usageSums} ${fromUsageOfMonth}
    group by grouping sets ((d.tool), (d.day), (${knownCaller}))`,
    "u.day, u.caller::float8 as caller, k.name, "
  )
}
  left join keys k on k.id = u.caller and k.account = a.id
  order by u.tool collate "C", u.day, u.caller <= 0, u.caller`

export interface UsageRow extends BalanceRow {
  readonly day: number | null
  readonly caller: number | null
  readonly name: string | null
}

/** The numbers that the database stores for sessions and tasks in place of a key id. */
const [sessionsCaller, tasksCaller] = [-1, 0]

/** Converts the number of a caller in the database. */
export const toCaller = (caller: number, name: string | null): UsageCaller =>
  caller === sessionsCaller
    ? { kind: "session" }
    : caller === tasksCaller
    ? { kind: "task" }
    : { kind: "key", key: caller, name }

export const toUsage = (rows: ReadonlyArray<UsageRow>): MonthUsage | null => {
  const balance = toBalance(rows)
  if (balance === null) return null
  const toSums = ({ calls, credits, failed }: UsageRow) => ({ calls, failed, credits })
  return {
    ...balance,
    days: rows.flatMap((row) => row.day === null || row.day === 0 ? [] : [{ day: row.day * dayMs, ...toSums(row) }]),
    callers: rows.flatMap((row) =>
      row.caller === null ? [] : [{ caller: toCaller(row.caller, row.name), ...toSums(row) }]
    )
  }
}

/** Counts the settled and running answers of the current UTC day. */
export const countAnswersSql = `select t.now::float8 as instant, (
    select count(*) from credit_reservations e
    where e.account = $1::bigint and e.month = credit_month(t.now) and e.day = (t.now / 86400000)::integer
      and e.tool = 'agent.answer' and (e.state = 'settled' or e.state = 'reserved' and e.expires_at > t.now)
  )::float8 as count
  from (select ${nowSql("$2")} as now offset 0) t`

export const readPlans = (sql: SqlClient) =>
  Effect.map(
    sql.unsafe<{ readonly name: string; readonly credits: number }>(
      "select name, monthly_credits::float8 as credits from plans"
    ),
    (rows) => Object.fromEntries(rows.map(({ credits, name }) => [name, credits]))
  )

export const readTime = (sql: SqlClient) =>
  Effect.map(
    sql.unsafe<{ instant: number }>("select extract(epoch from clock_timestamp())::float8 * 1000 as instant"),
    ([row]) => row!.instant
  )
