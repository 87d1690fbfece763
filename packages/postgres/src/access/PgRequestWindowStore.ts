import { PgClient } from "@effect/sql-pg"
import { RequestWindowStore } from "@tapeline/core/access/RequestWindowStore"
import { Effect, Layer } from "effect"
import { unavailable } from "../errors.ts"

/**
 * One statement decides. The instant of the request is that at which its row was formed, `excluded.ends_at` less the
 * window's length, so that all of the statement sees the same instant.
 */
export const takeRequest = `insert into request_windows as w (account, ends_at, taken, allowed)
  values ($1, clock_timestamp() + $3::float8 * interval '1 millisecond', least(1, $2::integer), $2::integer >= 1)
  on conflict (account) do update set
    ends_at = case when w.ends_at <= excluded.ends_at - $3::float8 * interval '1 millisecond' then excluded.ends_at else w.ends_at end,
    allowed = case when w.ends_at <= excluded.ends_at - $3::float8 * interval '1 millisecond' then excluded.allowed else w.taken < $2::integer end,
    taken = case
      when w.ends_at <= excluded.ends_at - $3::float8 * interval '1 millisecond' then excluded.taken
      when w.taken < $2::integer then w.taken + 1
      else w.taken
    end
  returning allowed, greatest(0, $2::integer - taken) as remaining,
    greatest(0, ceil(extract(epoch from ends_at - clock_timestamp()) * 1000))::float8 as reset_ms`

/** `RequestWindowStore` on PostgreSQL or PGlite; its time is the database's. */
export const PgRequestWindowStore: Layer.Layer<RequestWindowStore, never, PgClient.PgClient> = Layer.effect(
  RequestWindowStore,
  Effect.map(PgClient.PgClient, (sql) =>
    RequestWindowStore.of({
      take: ({ account, limit, windowMs }) =>
        Effect.map(
          unavailable("RequestWindowStore")(
            sql.unsafe<{ allowed: boolean; remaining: number; reset_ms: number }>(
              takeRequest,
              [BigInt(account), limit, String(windowMs)]
            )
          ),
          ([row]) => ({ allowed: row!.allowed, remaining: row!.remaining, resetMs: row!.reset_ms })
        )
    }))
)
