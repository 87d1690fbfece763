import { PgClient } from "@effect/sql-pg"
import {
  LinkRefused,
  type NewSession,
  type SessionRecord,
  SessionStore,
  type SignInMethod,
  UnknownAccount,
  UnknownSession
} from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { type BackgroundPool, makeBackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { bigints, int8, texts } from "../parameters.ts"
import { AccessChannel } from "./AccessChannel.ts"
import {
  foundAccountColumns,
  type FoundSessionRow,
  sessionColumns,
  sessionEndSql,
  type SessionRow,
  sqlTimeOrNow,
  toFoundSession,
  toSession
} from "./rows.ts"

const findSessions = `with t as materialized (select ${sqlTimeOrNow("$2")} as now)
  select x.hash, x.state, (t.now - x.since)::float8 as since_ms, (${sessionEndSql} - t.now)::float8 as life_ms,
    (t.now - s.created_at)::float8 as age_ms,
    ${sessionColumns}, ${foundAccountColumns}
  from session_texts x join sessions s on s.id = x.session join accounts a on a.id = s.account cross join t
  where x.hash = any($1)`

/** Stores the last use of each session, and returns the ids of locked sessions, which are skipped. */
const updateLastUsed = `with t as materialized (select ${sqlTimeOrNow("$3")} as now), due as materialized (
    select s.id, u.at from (select id, now - ago as at from unnest($1::bigint[], $2::bigint[]) as a (id, ago), t) u
      join sessions s on s.id = u.id
    where s.last_used_at < u.at
  ), free as materialized (
    select s.id, d.at from due d join sessions s on s.id = d.id order by s.id for no key update of s skip locked
  ), noted as (
    update sessions s set last_used_at = greatest(s.last_used_at, f.at) from free f where s.id = f.id
  )
  select id::float8 as id from due where id not in (select id from free)`

/** Returns SQL that ends the open sessions that `condition` selects, with the time `$1` and the reason `$2`. */
const endSessionsSql = (condition: string): string =>
  `update sessions s set ended_at = ${sqlTimeOrNow("$1")}, ended_how = $2
    where ${condition} and s.ended_at is null and ${sessionEndSql} > ${
    sqlTimeOrNow("$1")
  } returning s.account::float8 as account`

const deleteOldSessions = `with t as materialized (select ${
  sqlTimeOrNow("$3")
} - $1::bigint as before), over as materialized (
    select s.id from sessions s cross join t where ${sessionEndSql} <= t.before
    order by s.id limit $2 for update of s skip locked
  )
  delete from sessions s using over o where s.id = o.id returning 1`

const deleteOldLinks = `with t as materialized (select ${
  sqlTimeOrNow("$3")
} - $1::bigint as before), over as materialized (
    select l.hash from sign_in_links l cross join t where coalesce(l.used_at, l.expires_at) <= t.before
    order by l.hash limit $2 for update of l skip locked
  )
  delete from sign_in_links l using over o where l.hash = o.hash returning 1`

const mapErrors = mapSqlErrors("SessionStore")

/**
 * Locks the session of a token in a separate statement. Statements after the lock see the latest tokens of the session.
 */
const lockSessionByToken = `select s.id::float8 as id from session_texts x join sessions s on s.id = x.session
  where x.hash = $1 and ${sessionEndSql} > ${sqlTimeOrNow("$2")} for no key update of s`

/** Opens a session within a transaction. Returns the accounts whose earlier session the new session replaced. */
const openSession = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  account: number,
  by: SignInMethod,
  { device, hash, idleMs, maxLifetimeMs, replacedHash }: NewSession,
  now: number | null
) {
  const replacedSessions = replacedHash === null ? [] : yield* sql.unsafe<{ readonly account: number }>(
    endSessionsSql("s.id = (select session from session_texts where hash = $3)"),
    [int8(now), "replaced", replacedHash]
  )
  const [row] = yield* sql.unsafe<SessionRow>(
    `with t as materialized (select ${sqlTimeOrNow("$6")} as now), s as (
      insert into sessions (account, signed_in_by, device, created_at, last_used_at, ends_at, idle_ms)
      select $1::bigint, $2, $3, now, now, now + $5::bigint, $4::bigint from t returning *
    ), x as (insert into session_texts (hash, session, state, since) select $7, s.id, 'current', s.created_at from s)
    select ${sessionColumns} from s`,
    [BigInt(account), by, device, BigInt(idleMs), BigInt(maxLifetimeMs), int8(now), hash]
  )
  return { session: toSession(row!), accounts: replacedSessions.map(({ account }) => account) }
})

const makeOpeningMethods = (
  backgroundPool: BackgroundPool,
  publish: (account: number) => Effect.Effect<void>
): Pick<SessionStore["Service"], "createLink" | "useLink" | "open"> => {
  type OpenedSession = Effect.Success<ReturnType<typeof openSession>>
  const publishOpened = ({ accounts, session }: OpenedSession): Effect.Effect<SessionRecord> =>
    Effect.as(Effect.forEach(accounts, publish, { discard: true }), session)
  const requireAccount = (sql: PgClient.PgClient, account: number) =>
    Effect.flatMap(
      sql.unsafe(`select 1 from accounts where id = $1`, [BigInt(account)]),
      (found) => found.length === 0 ? Effect.fail(new UnknownAccount({ account })) : Effect.void
    )
  return {
    createLink: ({ account, hash, lifetimeMs, now }) =>
      Effect.flatMap(
        mapErrors(backgroundPool.runWithLockTimeout((sql) =>
          sql.unsafe<{ readonly expires_at: number }>(
            `insert into sign_in_links (hash, account, expires_at)
              select $1, a.id, ${sqlTimeOrNow("$4")} + $3::bigint from accounts a where a.id = $2
              returning expires_at::float8 as expires_at`,
            [hash, BigInt(account), BigInt(lifetimeMs), int8(now)]
          )
        )),
        ([row]) =>
          row === undefined
            ? Effect.fail(new UnknownAccount({ account }))
            : Effect.succeed({ expiresAt: row.expires_at })
      ),
    useLink: (hash, opening, now) =>
      mapErrors(backgroundPool.runWithLockTimeout((sql) =>
        sql.withTransaction(Effect.gen(function*() {
          const [link] = yield* sql.unsafe<
            { readonly account: number; readonly used: boolean; readonly late: boolean }
          >(
            `select account::float8 as account, used_at is not null as used, expires_at <= ${sqlTimeOrNow("$2")} as late
              from sign_in_links where hash = $1 for no key update`,
            [hash, int8(now)]
          )
          if (link === undefined) return yield* new LinkRefused({ reason: "unknown" })
          if (link.used) return yield* new LinkRefused({ reason: "used" })
          if (link.late) return yield* new LinkRefused({ reason: "expired" })
          yield* sql.unsafe(`update sign_in_links set used_at = ${sqlTimeOrNow("$2")} where hash = $1`, [
            hash,
            int8(now)
          ])
          return yield* openSession(sql, link.account, "link", opening, now)
        }))
      )).pipe(Effect.flatMap(publishOpened)),
    open: (account, signedInBy, opening, now) =>
      mapErrors(
        backgroundPool.runWithLockTimeout((sql) =>
          sql.withTransaction(
            Effect.andThen(requireAccount(sql, account), openSession(sql, account, signedInBy, opening, now))
          )
        )
      ).pipe(Effect.flatMap(publishOpened))
  }
}

const makeRenewalMethods = (
  backgroundPool: BackgroundPool,
  publish: (account: number) => Effect.Effect<void>
): Pick<SessionStore["Service"], "offerToken" | "confirmToken"> => ({
  offerToken: ({ current, minIntervalMs, next }, now) =>
    mapErrors(backgroundPool.runWithLockTimeout((sql) =>
      sql.withTransaction(Effect.gen(function*() {
        const [lockedSession] = yield* sql.unsafe<{ readonly id: number }>(lockSessionByToken, [current, int8(now)])
        if (lockedSession === undefined) return false
        const session = BigInt(lockedSession.id)
        const [row] = yield* sql.unsafe<{ readonly may: boolean }>(
          `select exists (select 1 from session_texts where hash = $2 and state = 'current') and not exists (
              select 1 from session_texts where session = $1 and state = 'offered'
                and ${sqlTimeOrNow("$4")} - since < $3::bigint
            ) as may`,
          [session, current, BigInt(minIntervalMs), int8(now)]
        )
        if (row?.may !== true) return false
        yield* sql.unsafe(
          `update session_texts set state = 'past', since = ${
            sqlTimeOrNow("$2")
          } where session = $1 and state = 'offered'`,
          [session, int8(now)]
        )
        yield* sql.unsafe(
          `insert into session_texts (hash, session, state, since) values ($2, $1, 'offered', ${sqlTimeOrNow("$3")})`,
          [session, next, int8(now)]
        )
        return true
      }))
    )),
  confirmToken: (hash, now) =>
    mapErrors(backgroundPool.runWithLockTimeout((sql) =>
      sql.withTransaction(Effect.gen(function*() {
        const [lockedSession] = yield* sql.unsafe<{ readonly id: number }>(lockSessionByToken, [hash, int8(now)])
        if (lockedSession === undefined) return []
        const [session, at] = [BigInt(lockedSession.id), int8(now)]
        yield* sql.unsafe(
          `update session_texts set state = 'past', since = ${
            sqlTimeOrNow("$3")
          } where session = $1 and state = 'current'
            and exists (select 1 from session_texts where hash = $2 and state = 'offered')`,
          [session, hash, at]
        )
        return yield* sql.unsafe<{ readonly account: number }>(
          `update session_texts x set state = 'current', since = ${sqlTimeOrNow("$3")} from sessions s
            where x.hash = $2 and x.state = 'offered' and s.id = $1 returning s.account::float8 as account`,
          [session, hash, at]
        )
      }))
    )).pipe(Effect.flatMap((changed) => Effect.forEach(changed, ({ account }) => publish(account), { discard: true })))
})

const makeEndAndListMethods = (
  backgroundPool: BackgroundPool,
  publish: (account: number) => Effect.Effect<void>
): Pick<SessionStore["Service"], "end" | "endAll" | "sessions" | "prune"> => {
  const querySessions = (condition: string, parameters: Parameters<PgClient.PgClient["unsafe"]>[1]) =>
    mapErrors(
      backgroundPool.run((sql) =>
        sql.unsafe<SessionRow>(`select ${sessionColumns} from sessions s where ${condition}`, parameters)
      )
    )
  return {
    end: ({ account, id }, reason, now) =>
      Effect.gen(function*() {
        const ended = yield* mapErrors(backgroundPool.runWithLockTimeout((sql) =>
          sql.unsafe<{ readonly account: number }>(endSessionsSql("s.id = $3 and s.account = $4"), [
            int8(now),
            reason,
            BigInt(id),
            BigInt(account)
          ])
        ))
        if (ended.length > 0) {
          yield* publish(account)
        }
        const [row] = yield* querySessions("s.id = $1 and s.account = $2", [BigInt(id), BigInt(account)])
        return row === undefined ? yield* new UnknownSession({ session: id }) : toSession(row)
      }),
    endAll: (account, exceptSession, now) =>
      Effect.gen(function*() {
        const ended = yield* mapErrors(backgroundPool.runWithLockTimeout((sql) =>
          sql.withTransaction(Effect.andThen(
            sql.unsafe(
              `update sign_in_links set used_at = ${sqlTimeOrNow("$2")} where account = $1 and used_at is null`,
              [BigInt(account), int8(now)]
            ),
            sql.unsafe(
              endSessionsSql(
                `s.id in (select id from sessions o where o.account = $3 and o.id is distinct from $4::bigint
                  order by o.id for no key update)`
              ),
              [int8(now), "revoked", BigInt(account), int8(exceptSession)]
            )
          ))
        ))
        yield* publish(account)
        return ended.length
      }),
    sessions: (account, { after, limit }) =>
      Effect.gen(function*() {
        const found = yield* querySessions("s.account = $1 and s.id > $2 order by s.id limit $3", [
          BigInt(account),
          BigInt(after),
          BigInt(limit)
        ])
        if (found.length > 0) return found.map(toSession)
        const [knownAccount] = yield* mapErrors(
          backgroundPool.run((sql) => sql.unsafe(`select 1 from accounts where id = $1`, [BigInt(account)]))
        )
        return knownAccount === undefined ? yield* new UnknownAccount({ account }) : []
      }),
    prune: (retentionMs, limit, now) =>
      mapErrors(backgroundPool.runWithLockTimeout((sql) =>
        Effect.gen(function*() {
          const parameters = [BigInt(retentionMs), BigInt(limit), int8(now)]
          const sessions = yield* sql.unsafe(deleteOldSessions, parameters)
          const links = yield* sql.unsafe(deleteOldLinks, parameters)
          return sessions.length + links.length
        })
      ))
  }
}

/** Implements `SessionStore` with PostgreSQL or PGlite. */
export const PgSessionStore: Layer.Layer<SessionStore, never, PgClient.PgClient | AccessChannel> = Layer.effect(
  SessionStore,
  Effect.gen(function*() {
    const [sql, backgroundPool, { publish }] = yield* Effect.all([PgClient.PgClient, makeBackgroundPool, AccessChannel])
    return SessionStore.of({
      ...makeOpeningMethods(backgroundPool, publish),
      ...makeRenewalMethods(backgroundPool, publish),
      ...makeEndAndListMethods(backgroundPool, publish),
      findByHashes: (hashes, now) =>
        Effect.map(mapErrors(sql.unsafe<FoundSessionRow>(findSessions, [texts(hashes), int8(now)])), (rows) => {
          const found = new Map(rows.map((row) => [row.hash, toFoundSession(row)]))
          return hashes.map((hash) => found.get(hash) ?? null)
        }),
      recordLastUses: (agoMs, now) =>
        agoMs.size === 0
          ? Effect.succeed([])
          : Effect.map(
            mapErrors(backgroundPool.run((sql) =>
              sql.unsafe<{ id: number }>(updateLastUsed, [
                bigints([...agoMs.keys()]),
                bigints([...agoMs.values()]),
                int8(now)
              ])
            )),
            (locked) => locked.map(({ id }) => id)
          )
    })
  })
)
