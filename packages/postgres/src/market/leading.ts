import type { PgClient } from "@effect/sql-pg"
import { type Fence, type Lead, marketBounds, type MarketStoreRefusal, tooMany } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { nowMs } from "../patiently.ts"

/* The leases of sources, by the database's clock. */

/** A lease with more time left than the maximum is from before the clock was set back, and can be taken at once. */
const take = `insert into market_leases as l (source, holder, epoch, until)
  select $1, $2, ${nowMs}, ${nowMs} + $3::bigint
  where exists (select from market_leases where source = $1)
    or (select count(*) from market_leases) < ${marketBounds.leads}
  on conflict (source) do update set holder = excluded.holder, until = excluded.until,
    epoch = case when l.holder = excluded.holder then l.epoch else greatest(l.epoch + 1, excluded.epoch) end
  where l.holder = excluded.holder or l.until <= ${nowMs} or l.until > ${nowMs} + ${marketBounds.leaseMs}
  returning epoch::float8 as epoch`

const look = `select holder, greatest(0, until - ${nowMs})::float8 as left_ms from market_leases where source = $1`

export const leadOnce = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  { holder, source, ttlMs }: { readonly source: string; readonly holder: string; readonly ttlMs: number }
): Effect.fn.Return<Lead, SqlError | MarketStoreRefusal> {
  const [taken] = yield* sql.unsafe<{ readonly epoch: number }>(take, [source, holder, String(Math.ceil(ttlMs))])
  if (taken !== undefined) return { _tag: "Leads", fence: { source, epoch: taken.epoch } }
  const [led] = yield* sql.unsafe<{ readonly holder: string; readonly left_ms: number }>(look, [source])
  if (led === undefined) return yield* tooMany(`the lead of ${source}`, "leads", marketBounds.leads)
  return { _tag: "Follows", holder: led.holder, leftMs: led.left_ms }
})

const giveUp = `update market_leases set until = least(until, ${nowMs}) where source = $1 and epoch = $2::bigint`

export const resignOnce = (sql: PgClient.PgClient, { epoch, source }: Fence): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql.unsafe(giveUp, [source, String(epoch)]))
