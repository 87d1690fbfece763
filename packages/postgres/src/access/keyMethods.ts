import type { PgClient } from "@effect/sql-pg"
import {
  ExpiryPassed,
  InvalidSession,
  type KeyChange,
  KeyLimit,
  type KeyRecord,
  type KeyStore,
  UnknownAccount,
  UnknownKey
} from "@tapeline/core/engine"
import { Effect } from "effect"
import type { BackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { int8, texts } from "../parameters.ts"
import { keyColumns, type KeyRow, sessionEndSql, sqlTimeOrNow, toKey } from "./rows.ts"

/** Locks the account of a key in a separate statement, so that the next statement sees all keys of the account. */
const lockAccountByKey = `select a.id as account from keys k join accounts a on a.id = k.account where k.id = $1
  for no key update of a`

/** Returns SQL that locks session `$1` until the transaction ends. The SQL returns no row if the session has ended. */
const lockSessionSql = (account: string): string =>
  `select 1 from sessions s where s.id = $1 and s.account = ${account} and ${sessionEndSql} > ${
    sqlTimeOrNow("$3")
  } for share`

const lockSessionOfAccount = lockSessionSql("$2")
const lockSessionOfKey = lockSessionSql("(select account from keys where id = $2)")

/** Runs a change of keys. Fails with `InvalidSession` if the session that makes the change has ended. */
const withSessionLock = <A, E>(
  sql: PgClient.PgClient,
  session: number | undefined,
  lock: typeof lockSessionOfAccount,
  accountOrKey: number,
  now: number | null,
  change: Effect.Effect<A, E>
) =>
  session === undefined ? change : sql.withTransaction(Effect.gen(function*() {
    const locked = yield* sql.unsafe(lock, [BigInt(session), BigInt(accountOrKey), int8(now)])
    return locked.length === 0 ? yield* new InvalidSession() : yield* change
  }))

/** Creates a key, or returns no row if the key's expiry has passed. */
const insertKey = `with t as materialized (select ${sqlTimeOrNow("$8")} as now)
  select made.verdict, made.key_id, ahead.now::float8 as created_at
  from (select now from t where $6::bigint is null or $6 > now) ahead
    cross join lateral create_key($1, $2, $3, $4, $5, $6, $7, ahead.now) made`

/**
 * Selects whether the new expiry `$2` of a key is in the past. The column `exceeds` is true if a reactivated key would
 * exceed the maximum number of active keys.
 */
const checkExpirySql = `with t as materialized (select ${sqlTimeOrNow("$3")} as now)
  select coalesce($2::bigint <= t.now, false) as passed,
    k.revoked_at is null and k.expires_at <= t.now and (
      select count(*) from keys o
      where o.account = k.account and o.revoked_at is null and (o.expires_at is null or o.expires_at > t.now)
    ) >= $4 as exceeds
  from keys k cross join t where k.id = $1`

const updateKeyRow = (sql: PgClient.PgClient, id: number, { expiry, scopes }: KeyChange) =>
  sql.unsafe<KeyRow>(
    `update keys set scopes = coalesce($2, scopes), expires_at = case when $3 then $4 else expires_at end
      where id = $1 returning ${keyColumns}`,
    [BigInt(id), texts(scopes ?? null), expiry !== undefined, int8(expiry?.at ?? null)]
  )

/** Changes the expiry of a key. Fails with `KeyLimit` if a reactivated key exceeds the limit of active keys. */
const updateExpiry = (
  sql: PgClient.PgClient,
  id: number,
  change: KeyChange,
  { at, limit, now }: NonNullable<KeyChange["expiry"]>
) =>
  sql.withTransaction(Effect.gen(function*() {
    // The account stays locked, as in `create_key`, so that the number of active keys cannot change before the commit.
    const [lockedAccount] = yield* sql.unsafe<{ readonly account: bigint }>(lockAccountByKey, [BigInt(id)])
    if (lockedAccount === undefined) return yield* new UnknownKey({ key: id })
    const [row] = yield* sql.unsafe<{ readonly passed: boolean; readonly exceeds: boolean | null }>(checkExpirySql, [
      BigInt(id),
      int8(at),
      int8(now),
      BigInt(limit)
    ])
    if (at !== null && row?.passed === true) return yield* new ExpiryPassed({ expiresAt: at })
    return row?.exceeds === true ? yield* new KeyLimit({ limit }) : yield* updateKeyRow(sql, id, change)
  }))

interface CreatedRow {
  readonly verdict: string
  readonly key_id: bigint | null
  readonly created_at: number
}

/**
 * Creates the operations that change keys. `publish` notifies subscribers in the current process that an account has
 * changed.
 */
export const makeKeyMethods = (
  backgroundPool: BackgroundPool,
  publish: (account: number) => Effect.Effect<void>
): Pick<KeyStore["Service"], "createKey" | "key" | "updateKey" | "revokeKey" | "revokeAllKeys"> => {
  const mapErrors = mapSqlErrors("KeyStore")
  const requireKey = (id: number) => ([row]: ReadonlyArray<KeyRow>) =>
    row === undefined ? Effect.fail(new UnknownKey({ key: id })) : Effect.succeed(toKey(row))
  const publishChange = (id: number) => (rows: ReadonlyArray<KeyRow>) =>
    Effect.tap(requireKey(id)(rows), ({ account }) => publish(account))
  const key = (id: number) =>
    Effect.flatMap(
      mapErrors(
        backgroundPool.run((sql) => sql.unsafe<KeyRow>(`select ${keyColumns} from keys where id = $1`, [BigInt(id)]))
      ),
      requireKey(id)
    )
  return {
    key,
    createKey: ({ account, expiresAt, hash, limit, name, now, prefix, scopes, session }) =>
      mapErrors(
        backgroundPool.runWithLockTimeout((sql) => {
          const parameters = [
            BigInt(account),
            name,
            prefix,
            hash,
            texts(scopes),
            int8(expiresAt),
            limit,
            int8(now)
          ]
          const create = sql.unsafe<CreatedRow>(insertKey, parameters)
          return withSessionLock(sql, session, lockSessionOfAccount, account, now, create)
        })
      ).pipe(
        Effect.flatMap(([row]): Effect.Effect<KeyRecord, UnknownAccount | KeyLimit | ExpiryPassed> => {
          if (row === undefined) return Effect.fail(new ExpiryPassed({ expiresAt: expiresAt! }))
          if (row.verdict === "no_account") return Effect.fail(new UnknownAccount({ account }))
          if (row.verdict === "limit") return Effect.fail(new KeyLimit({ limit }))
          const id = Number(row.key_id)
          const times = { createdAt: row.created_at, expiresAt, revokedAt: null, lastUsedAt: null }
          return Effect.succeed({ id, account, name, prefix, scopes: [...scopes], ...times })
        })
      ),
    updateKey: (id, change) => {
      const { expiry, scopes, session } = change
      if (expiry === undefined && scopes === undefined) return key(id)
      return Effect.flatMap(
        mapErrors(
          backgroundPool.runWithLockTimeout((sql) => {
            const update = expiry === undefined ? updateKeyRow(sql, id, change) : updateExpiry(sql, id, change, expiry)
            return withSessionLock(sql, session, lockSessionOfKey, id, expiry?.now ?? null, update)
          })
        ),
        publishChange(id)
      )
    },
    revokeKey: (id, now) =>
      Effect.flatMap(
        mapErrors(backgroundPool.runWithLockTimeout((sql) =>
          sql.unsafe<KeyRow>(
            `update keys set revoked_at = coalesce(revoked_at, ${
              sqlTimeOrNow("$2")
            }) where id = $1 returning ${keyColumns}`,
            [BigInt(id), int8(now)]
          )
        )),
        publishChange(id)
      ),
    revokeAllKeys: (account, now) =>
      Effect.map(
        Effect.tap(
          mapErrors(backgroundPool.runWithLockTimeout((sql) =>
            sql.unsafe(
              `update keys set revoked_at = ${
                sqlTimeOrNow("$2")
              } where account = $1 and revoked_at is null returning id`,
              [BigInt(account), int8(now)]
            )
          )),
          () => publish(account)
        ),
        (revoked) => revoked.length
      )
  }
}
