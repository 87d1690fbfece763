import type { AccountCall, Actor, LedgerStore } from "@tapeline/core/engine"
import { Effect } from "effect"
import { fromMonthNumber, toMonthNumber } from "./batch.ts"
import { nowSql } from "./reads.ts"
import { type Statements, toInstantParameter } from "./statements.ts"

interface CallRow {
  readonly month: number
  readonly id: number
  readonly key: number | null
  readonly task: number | null
  readonly tool: string
  readonly credits: number
  readonly state: AccountCall["state"]
  readonly reserved_at: number
  readonly ended_at: number | null
  readonly adjustment: number | null
  readonly refunded: number | null
}

/**
 * Selects calls of an account, largest id first. The scalar subquery for the month lets the database read only the
 * partition of the month, by its primary key, backwards. The limit applies before the refunds are read, so only the
 * refunds of the returned calls are read. Each refund is read through the unique index on refunded calls.
 */
export const selectCalls = `select e.month, e.id::float8, e.key::float8, e.task::float8, e.tool, e.credits,
    case when e.state = 'reserved' and e.expires_at <= e.now then 'expired' else e.state end as state,
    e.reserved_at::float8, e.ended_at::float8, a.id::float8 as adjustment, a.amount::float8 as refunded
  from (
    select r.*, t.now from (select ${nowSql("$5")} as now offset 0) t
    join credit_reservations r on r.account = $1::bigint
      and r.month = (select coalesce($2::integer, credit_month(${nowSql("$5")})))
      and ($3::bigint is null or r.id < $3::bigint)
    order by r.id desc limit $4::integer
  ) e
  left join lateral (select * from credit_adjustments where account = $1::bigint and call = e.id limit 1) a on true
  order by e.id desc`

/** Returns the actor of a reservation. The database stores the negative id of a session in place of a key id. */
const toActor = ({ key, task }: CallRow): Actor =>
  task !== null
    ? { _tag: "Task", task }
    : key! > 0
    ? { _tag: "Key", key: key! }
    : { _tag: "Session", session: -key! }

const toCall = (row: CallRow): AccountCall => ({
  call: { month: fromMonthNumber(row.month), entry: row.id },
  actor: toActor(row),
  operation: row.tool,
  credits: row.credits,
  state: row.state,
  reservedAt: row.reserved_at,
  endedAt: row.ended_at,
  refund: row.adjustment === null ? null : { adjustment: row.adjustment, amount: row.refunded! }
})

export const makeCallMethods = ({ queryRows }: Statements): Pick<LedgerStore["Service"], "calls"> => ({
  calls: ({ account, before, limit, month }, options) =>
    Effect.map(
      queryRows<CallRow>(selectCalls, [
        String(account),
        month === null ? null : toMonthNumber(month),
        before === null ? null : String(before),
        limit,
        toInstantParameter(options)
      ]),
      (rows) => rows.map(toCall)
    )
})
