import { PgClient } from "@effect/sql-pg"
import {
  LinkRefused,
  type Opening,
  type SessionRecord,
  SessionStore,
  type SignedInBy,
  UnknownAccount,
  UnknownSession
} from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { type Aside, makeAside } from "../connection/SideSessions.ts"
import { unavailable } from "../errors.ts"
import { bigints, int8, texts } from "../parameters.ts"
import { AccessChannel } from "./AccessChannel.ts"
import { instantOr } from "./keyRows.ts"
import {
  type FoundSessionRow,
  overAt,
  sessionColumns,
  type SessionRow,
  toFoundSession,
  toSession
} from "./sessionRows.ts"

/** The frequent look-up: session tokens that are not in a cache. */
const findSessions = `with t as materialized (select ${instantOr("$2")} as now)
  select x.hash, x.state, (t.now - x.since)::float8 as since_ms, (${overAt} - t.now)::float8 as life_ms,
    ${sessionColumns}, a.name as account_name, a.plan, a.created_at::float8 as account_created_at
  from session_texts x join sessions s on s.id = x.session join accounts a on a.id = s.account cross join t
  where x.hash = any($1)`

/** Like `touchUsed` of keys. */
const touchSessions = `with t as materialized (select ${instantOr("$3")} as now), due as materialized (
    select s.id, u.at from (select id, now - ago as at from unnest($1::bigint[], $2::bigint[]) as a (id, ago), t) u
      join sessions s on s.id = u.id
    where s.last_used_at < u.at
  ), free as materialized (
    select s.id, d.at from due d join sessions s on s.id = d.id order by s.id for no key update of s skip locked
  ), noted as (
    update sessions s set last_used_at = greatest(s.last_used_at, f.at) from free f where s.id = f.id
  )
  select id::float8 as id from due where id not in (select id from free)`

/** Ends the open sessions that `which` selects. Parameters 1 and 2 are the time and the reason. */
const endWhere = (which: string): string =>
  `update sessions s set ended_at = ${instantOr("$1")}, ended_how = $2
    where ${which} and s.ended_at is null and ${overAt} > ${instantOr("$1")} returning s.account::float8 as account`

const dropSessions = `with t as materialized (select ${instantOr("$3")} - $1::bigint as before), over as materialized (
    select s.id from sessions s cross join t where ${overAt} <= t.before
    order by s.id limit $2 for update of s skip locked
  )
  delete from sessions s using over o where s.id = o.id returning 1`

const dropLinks = `with t as materialized (select ${instantOr("$3")} - $1::bigint as before), over as materialized (
    select l.hash from sign_in_links l cross join t where coalesce(l.used_at, l.expires_at) <= t.before
    order by l.hash limit $2 for update of l skip locked
  )
  delete from sign_in_links l using over o where l.hash = o.hash returning 1`

const guard = unavailable("SessionStore")

/** Locks the session of a token. A separate statement, so that the next one sees the session's tokens at that time. */
const lockSessionOf = `select s.id::float8 as id from session_texts x join sessions s on s.id = x.session
  where x.hash = $1 and ${overAt} > ${instantOr("$2")} for no key update of s`

/** Opens a session within a transaction. Returns the session, and the accounts whose session it replaced. */
const openWithin = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  account: number,
  by: SignedInBy,
  { device, hash, idleMs, lifeMs, replaces }: Opening,
  now: number | null
) {
  const replaced = replaces === null ? [] : yield* sql.unsafe<{ readonly account: number }>(
    endWhere("s.id = (select session from session_texts where hash = $3)"),
    [int8(now), "replaced", replaces]
  )
  const [row] = yield* sql.unsafe<SessionRow>(
    `with t as materialized (select ${instantOr("$6")} as now), s as (
      insert into sessions (account, signed_in_by, device, created_at, last_used_at, ends_at, idle_ms)
      select $1::bigint, $2, $3, now, now, now + $5::bigint, $4::bigint from t returning *
    ), x as (insert into session_texts (hash, session, state, since) select $7, s.id, 'current', s.created_at from s)
    select ${sessionColumns} from s`,
    [BigInt(account), by, device, BigInt(idleMs), BigInt(lifeMs), int8(now), hash]
  )
  return { session: toSession(row!), accounts: replaced.map(({ account }) => account) }
})

/** Sign-in links, and the opening of sessions. */
const opening = (
  aside: Aside,
  publish: (account: number) => Effect.Effect<void>
): Pick<SessionStore["Service"], "createLink" | "useLink" | "open"> => {
  type Opened = Effect.Success<ReturnType<typeof openWithin>>
  const opened = ({ accounts, session }: Opened): Effect.Effect<SessionRecord> =>
    Effect.as(Effect.forEach(accounts, publish, { discard: true }), session)
  const isKnown = (sql: PgClient.PgClient, account: number) =>
    Effect.flatMap(
      sql.unsafe(`select 1 from accounts where id = $1`, [BigInt(account)]),
      (found) => found.length === 0 ? Effect.fail(new UnknownAccount({ account })) : Effect.void
    )
  return {
    createLink: ({ account, hash, lifeMs, now }) =>
      Effect.flatMap(
        guard(aside.change((sql) =>
          sql.unsafe<{ readonly expires_at: number }>(
            `insert into sign_in_links (hash, account, expires_at)
              select $1, a.id, ${instantOr("$4")} + $3::bigint from accounts a where a.id = $2
              returning expires_at::float8 as expires_at`,
            [hash, BigInt(account), BigInt(lifeMs), int8(now)]
          )
        )),
        ([row]) =>
          row === undefined
            ? Effect.fail(new UnknownAccount({ account }))
            : Effect.succeed({ expiresAt: row.expires_at })
      ),
    useLink: (hash, opens, now) =>
      guard(aside.change((sql) =>
        sql.withTransaction(Effect.gen(function*() {
          const [link] = yield* sql.unsafe<
            { readonly account: number; readonly used: boolean; readonly late: boolean }
          >(
            `select account::float8 as account, used_at is not null as used, expires_at <= ${instantOr("$2")} as late
              from sign_in_links where hash = $1 for no key update`,
            [hash, int8(now)]
          )
          if (link === undefined) return yield* new LinkRefused({ reason: "unknown" })
          if (link.used) return yield* new LinkRefused({ reason: "used" })
          if (link.late) return yield* new LinkRefused({ reason: "expired" })
          yield* sql.unsafe(`update sign_in_links set used_at = ${instantOr("$2")} where hash = $1`, [hash, int8(now)])
          return yield* openWithin(sql, link.account, "link", opens, now)
        }))
      )).pipe(Effect.flatMap(opened)),
    open: (account, by, opens, now) =>
      guard(
        aside.change((sql) =>
          sql.withTransaction(Effect.andThen(isKnown(sql, account), openWithin(sql, account, by, opens, now)))
        )
      ).pipe(Effect.flatMap(opened))
  }
}

/** The renewal of session tokens. */
const renewing = (
  aside: Aside,
  publish: (account: number) => Effect.Effect<void>
): Pick<SessionStore["Service"], "offer" | "confirm"> => ({
  offer: ({ current, everyMs, next }, now) =>
    guard(aside.change((sql) =>
      sql.withTransaction(Effect.gen(function*() {
        const [held] = yield* sql.unsafe<{ readonly id: number }>(lockSessionOf, [current, int8(now)])
        if (held === undefined) return false
        const session = BigInt(held.id)
        const [row] = yield* sql.unsafe<{ readonly may: boolean }>(
          `select exists (select 1 from session_texts where hash = $2 and state = 'current') and not exists (
              select 1 from session_texts where session = $1 and state = 'offered'
                and ${instantOr("$4")} - since < $3::bigint
            ) as may`,
          [session, current, BigInt(everyMs), int8(now)]
        )
        if (row?.may !== true) return false
        yield* sql.unsafe(
          `update session_texts set state = 'past', since = ${
            instantOr("$2")
          } where session = $1 and state = 'offered'`,
          [session, int8(now)]
        )
        yield* sql.unsafe(
          `insert into session_texts (hash, session, state, since) values ($2, $1, 'offered', ${instantOr("$3")})`,
          [session, next, int8(now)]
        )
        return true
      }))
    )),
  confirm: (hash, now) =>
    guard(aside.change((sql) =>
      sql.withTransaction(Effect.gen(function*() {
        const [held] = yield* sql.unsafe<{ readonly id: number }>(lockSessionOf, [hash, int8(now)])
        if (held === undefined) return []
        const [session, at] = [BigInt(held.id), int8(now)]
        yield* sql.unsafe(
          `update session_texts set state = 'past', since = ${instantOr("$3")} where session = $1 and state = 'current'
            and exists (select 1 from session_texts where hash = $2 and state = 'offered')`,
          [session, hash, at]
        )
        return yield* sql.unsafe<{ readonly account: number }>(
          `update session_texts x set state = 'current', since = ${instantOr("$3")} from sessions s
            where x.hash = $2 and x.state = 'offered' and s.id = $1 returning s.account::float8 as account`,
          [session, hash, at]
        )
      }))
    )).pipe(Effect.flatMap((changed) => Effect.forEach(changed, ({ account }) => publish(account), { discard: true })))
})

/** Ends and lists sessions, and removes old ones. */
const endingAndListing = (
  aside: Aside,
  publish: (account: number) => Effect.Effect<void>
): Pick<SessionStore["Service"], "end" | "endAll" | "sessions" | "prune"> => {
  const read = (which: string, parameters: Parameters<PgClient.PgClient["unsafe"]>[1]) =>
    guard(
      aside.run((sql) => sql.unsafe<SessionRow>(`select ${sessionColumns} from sessions s where ${which}`, parameters))
    )
  return {
    end: ({ account, id }, how, now) =>
      Effect.gen(function*() {
        const ended = yield* guard(aside.change((sql) =>
          sql.unsafe<{ readonly account: number }>(endWhere("s.id = $3 and s.account = $4"), [
            int8(now),
            how,
            BigInt(id),
            BigInt(account)
          ])
        ))
        if (ended.length > 0) {
          yield* publish(account)
        }
        const [row] = yield* read("s.id = $1 and s.account = $2", [BigInt(id), BigInt(account)])
        return row === undefined ? yield* new UnknownSession({ session: id }) : toSession(row)
      }),
    endAll: (account, but, now) =>
      Effect.gen(function*() {
        const ended = yield* guard(aside.change((sql) =>
          sql.withTransaction(Effect.andThen(
            sql.unsafe(
              `update sign_in_links set used_at = ${instantOr("$2")} where account = $1 and used_at is null`,
              [BigInt(account), int8(now)]
            ),
            sql.unsafe(
              endWhere(
                `s.id in (select id from sessions o where o.account = $3 and o.id is distinct from $4::bigint
                  order by o.id for no key update)`
              ),
              [int8(now), "revoked", BigInt(account), int8(but)]
            )
          ))
        ))
        yield* publish(account)
        return ended.length
      }),
    sessions: (account, { after, limit }) =>
      Effect.gen(function*() {
        const found = yield* read("s.account = $1 and s.id > $2 order by s.id limit $3", [
          BigInt(account),
          BigInt(after),
          BigInt(limit)
        ])
        if (found.length > 0) return found.map(toSession)
        const [known] = yield* guard(
          aside.run((sql) => sql.unsafe(`select 1 from accounts where id = $1`, [BigInt(account)]))
        )
        return known === undefined ? yield* new UnknownAccount({ account }) : []
      }),
    prune: (keepMs, limit, now) =>
      guard(aside.change((sql) =>
        Effect.gen(function*() {
          const parameters = [BigInt(keepMs), BigInt(limit), int8(now)]
          const sessions = yield* sql.unsafe(dropSessions, parameters)
          const links = yield* sql.unsafe(dropLinks, parameters)
          return sessions.length + links.length
        })
      ))
  }
}

/** `SessionStore` on PostgreSQL or PGlite. */
export const PgSessionStore: Layer.Layer<SessionStore, never, PgClient.PgClient | AccessChannel> = Layer.effect(
  SessionStore,
  Effect.gen(function*() {
    const [sql, aside, { publish }] = yield* Effect.all([PgClient.PgClient, makeAside, AccessChannel])
    return SessionStore.of({
      ...opening(aside, publish),
      ...renewing(aside, publish),
      ...endingAndListing(aside, publish),
      findByHashes: (hashes, now) =>
        Effect.map(guard(sql.unsafe<FoundSessionRow>(findSessions, [texts(hashes), int8(now)])), (rows) => {
          const found = new Map(rows.map((row) => [row.hash, toFoundSession(row)]))
          return hashes.map((hash) => found.get(hash) ?? null)
        }),
      touch: (agoMs, now) =>
        agoMs.size === 0
          ? Effect.succeed([])
          : Effect.map(
            guard(aside.run((sql) =>
              sql.unsafe<{ id: number }>(touchSessions, [
                bigints([...agoMs.keys()]),
                bigints([...agoMs.values()]),
                int8(now)
              ])
            )),
            (held) => held.map(({ id }) => id)
          )
    })
  })
)
