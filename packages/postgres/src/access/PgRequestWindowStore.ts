import { PgClient } from "@effect/sql-pg"
import { RequestWindowStore, type WindowVerdict } from "@tapeline/core/access"
import { groupCommit } from "@tapeline/core/credits"
import { Effect, Layer } from "effect"
import { unavailable } from "../errors.ts"
import { bigints } from "../parameters.ts"

interface Take {
  readonly account: number
  readonly limit: number
  readonly windowMs: number
}

interface Row {
  readonly account: number
  readonly admitted: number
  readonly taken: number
  readonly reset_ms: number
}

const ended = "w.ends_at <= excluded.ends_at - $4::float8 * interval '1 millisecond'"
const room = "greatest(0, least(excluded.asked, excluded.most - w.taken))"

/**
 * One statement decides, for some accounts (distinct, and in order, so that statements that meet do not wait in a
 * circle) how many of the requests of each are admitted. The instant of the requests is that at which their row was
 * formed, `excluded.ends_at` less the window's length, so that all of the statement sees the same instant.
 */
export const takeRequests = `insert into request_windows as w (account, ends_at, taken, admitted, asked, most)
  select u.account, clock_timestamp() + $4::float8 * interval '1 millisecond', least(u.asked, u.most), least(u.asked, u.most),
    u.asked, u.most
  from unnest($1::bigint[], $2::integer[], $3::integer[]) as u (account, asked, most)
  order by u.account
  on conflict (account) do update set
    ends_at = case when ${ended} then excluded.ends_at else w.ends_at end,
    admitted = case when ${ended} then excluded.taken else ${room} end,
    taken = case when ${ended} then excluded.taken else w.taken + ${room} end
  returning account::float8 as account, admitted, taken,
    greatest(0, ceil(extract(epoch from ends_at - clock_timestamp()) * 1000))::float8 as reset_ms`

interface Statement {
  readonly windowMs: number
  /** By account: its limit, and the places of its requests in the batch, in order. */
  readonly groups: Map<number, { readonly account: number; readonly limit: number; readonly places: Array<number> }>
}

/**
 * A statement judges one length of window, and of each account one limit. Nearly always that is the whole batch; a
 * request that differs goes into a later statement than the account's own before it.
 */
const statementsOf = (takes: ReadonlyArray<Take>): ReadonlyArray<Statement> => {
  const statements: Array<Statement> = []
  takes.forEach(({ account, limit, windowMs }, place) => {
    const last = statements.findLastIndex(({ groups }) => groups.has(account))
    const group = statements[last]?.groups.get(account)
    if (group?.limit === limit && statements[last]?.windowMs === windowMs) return void group.places.push(place)
    let statement = statements.find((statement, i) => i > last && statement.windowMs === windowMs)
    if (statement === undefined) statements.push(statement = { windowMs, groups: new Map() })
    statement.groups.set(account, { account, limit, places: [place] })
  })
  return statements
}

/**
 * `RequestWindowStore` on PostgreSQL or PGlite; its time is the database's. Requests that come together travel
 * together; those of one account are admitted in order.
 */
export const PgRequestWindowStore: Layer.Layer<RequestWindowStore, never, PgClient.PgClient> = Layer.effect(
  RequestWindowStore,
  Effect.map(PgClient.PgClient, (sql) => {
    const take = groupCommit((takes: ReadonlyArray<Take>) => {
      const verdicts: Array<WindowVerdict> = []
      return Effect.as(
        Effect.forEach(statementsOf(takes), ({ groups, windowMs }) => {
          const sorted = [...groups.values()].sort((a, b) => a.account - b.account)
          return Effect.map(
            unavailable("RequestWindowStore")(sql.unsafe<Row>(takeRequests, [
              bigints(sorted.map(({ account }) => account)),
              bigints(sorted.map(({ places }) => places.length)),
              bigints(sorted.map(({ limit }) => limit)),
              String(windowMs)
            ])),
            (rows) => {
              for (const { account, admitted, reset_ms, taken } of rows) {
                const { limit, places } = groups.get(account)!
                places.forEach((place, i) => {
                  const allowed = i < admitted
                  const countedUpToIt = allowed ? taken - admitted + i + 1 : taken
                  verdicts[place] = { allowed, remaining: Math.max(0, limit - countedUpToIt), resetMs: reset_ms }
                })
              }
            }
          )
        }, { discard: true }),
        verdicts
      )
    }, { maxBatch: 256, batchesInFlight: 2 })
    return RequestWindowStore.of({ take: (request) => take(request) })
  })
)
