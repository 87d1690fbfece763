import type { PgClient } from "@effect/sql-pg"
import {
  type Fence,
  type LeadershipResult,
  marketStoreLimits,
  type MarketStoreRefusal,
  storeFull
} from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { nowMsSql } from "../rowLocks.ts"

/**
 * Takes or renews a lease. If a lease has more remaining time than the maximum, the clock was set back, and any process
 * can take the lease.
 */
const acquireLeaseSql = `insert into market_leases as l (source, holder, epoch, until)
  select $1, $2, ${nowMsSql}, ${nowMsSql} + $3::bigint
  where exists (select from market_leases where source = $1)
    or (select count(*) from market_leases) < ${marketStoreLimits.maxLeads}
  on conflict (source) do update set holder = excluded.holder, until = excluded.until,
    epoch = case when l.holder = excluded.holder then l.epoch else greatest(l.epoch + 1, excluded.epoch) end
  where l.holder = excluded.holder or l.until <= ${nowMsSql} or l.until > ${nowMsSql} + ${marketStoreLimits.maxLeaseMs}
  returning epoch::float8 as epoch`

const selectLease =
  `select holder, greatest(0, until - ${nowMsSql})::float8 as left_ms from market_leases where source = $1`

export const acquireLease = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  { holder, source, ttlMs }: { readonly source: string; readonly holder: string; readonly ttlMs: number }
): Effect.fn.Return<LeadershipResult, SqlError | MarketStoreRefusal> {
  const [acquired] = yield* sql.unsafe<{ readonly epoch: number }>(acquireLeaseSql, [
    source,
    holder,
    String(Math.ceil(ttlMs))
  ])
  if (acquired !== undefined) return { _tag: "Leads", fence: { source, epoch: acquired.epoch } }
  const [current] = yield* sql.unsafe<{ readonly holder: string; readonly left_ms: number }>(selectLease, [source])
  if (current === undefined) return yield* storeFull(`the lead of ${source}`, "leads", marketStoreLimits.maxLeads)
  return { _tag: "Follows", holder: current.holder, remainingMs: current.left_ms }
})

const releaseLeaseSql =
  `update market_leases set until = least(until, ${nowMsSql}) where source = $1 and epoch = $2::bigint`

export const releaseLease = (sql: PgClient.PgClient, { epoch, source }: Fence): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql.unsafe(releaseLeaseSql, [source, String(epoch)]))
