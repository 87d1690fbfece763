import type { PgClient } from "@effect/sql-pg"
import {
  ExpiryPassed,
  InvalidSession,
  type KeyChange,
  KeyEnded,
  KeyLimit,
  type KeyRecord,
  type KeyRotation,
  type KeyStore,
  RotationRunning,
  UnknownAccount,
  UnknownKey
} from "@tapeline/core/engine"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { BackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { int8, texts } from "../parameters.ts"
import { keyColumns, keyColumnsOf, type KeyRow, sessionEndSql, sqlTimeOrNow, toKey } from "./rows.ts"

/** Locks the account of a key in a separate statement, so that the next statement sees all keys of the account. */
const lockAccountByKey = `select a.id as account from keys k join accounts a on a.id = k.account where k.id = $1
  for no key update of a`

/**
 * Returns SQL that locks session `$1` until the transaction ends. The statement returns no row if the session has
 * ended.
 */
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

const firstKeySql = (table: string): string => `coalesce(${table}.first_key, ${table}.id)`

/** Whether a key `o` is another valid key of the chain of rotations of the key `k` at the time `t.now`. */
const isOtherOfChainSql = `o.account = k.account and ${firstKeySql("o")} = ${firstKeySql("k")} and o.id <> k.id
  and o.revoked_at is null and (o.expires_at is null or o.expires_at > t.now)`

/**
 * Selects whether the new expiry `$2` of a key is in the past. The column `exceeds` is true if a reactivated key would
 * exceed the maximum number of active keys. The column `is_later` is true if the change reactivates the key, or
 * postpones the end of an overlap. The column `other` is another valid key of the chain of rotations.
 */
const checkExpirySql = `with t as materialized (select ${sqlTimeOrNow("$3")} as now)
  select coalesce($2::bigint <= t.now, false) as passed,
    k.revoked_at is null and k.expires_at <= t.now and (
      select count(distinct ${firstKeySql("o")}) from keys o
      where o.account = k.account and o.revoked_at is null and (o.expires_at is null or o.expires_at > t.now)
        and ${firstKeySql("o")} <> ${firstKeySql("k")}
    ) >= $4 as exceeds,
    k.revoked_at is null and k.expires_at is not null and ($2::bigint is null or $2::bigint > k.expires_at)
      and (k.expires_at <= t.now or exists (select 1 from keys o where ${isOtherOfChainSql} and o.id > k.id))
      as is_later,
    (select min(o.id) from keys o where ${isOtherOfChainSql})::float8 as other
  from keys k cross join t where k.id = $1`

const updateKeyRow = (
  sql: PgClient.PgClient,
  id: number,
  { allowedIps, expiry, requestsPerMinute, scopes }: KeyChange
) =>
  sql.unsafe<KeyRow>(
    `update keys set scopes = coalesce($2, scopes), expires_at = case when $3 then $4 else expires_at end,
        requests_per_minute = case when $5 then $6 else requests_per_minute end,
        allowed_ips = coalesce($7, allowed_ips)
      where id = $1 returning ${keyColumns}`,
    [
      BigInt(id),
      texts(scopes ?? null),
      expiry !== undefined,
      int8(expiry?.at ?? null),
      requestsPerMinute !== undefined,
      requestsPerMinute ?? null,
      texts(allowedIps ?? null)
    ]
  )

interface ExpiryRow {
  readonly passed: boolean
  readonly exceeds: boolean | null
  readonly is_later: boolean | null
  readonly other: number | null
}

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
    const [row] = yield* sql.unsafe<ExpiryRow>(checkExpirySql, [
      BigInt(id),
      int8(at),
      int8(now),
      BigInt(limit)
    ])
    if (at !== null && row?.passed === true) return yield* new ExpiryPassed({ expiresAt: at })
    const other = row?.other ?? null
    if (row?.is_later === true && other !== null) return yield* new RotationRunning({ key: other })
    return row?.exceeds === true ? yield* new KeyLimit({ limit }) : yield* updateKeyRow(sql, id, change)
  }))

/** Selects a key, whether it has ended, and another valid key of its chain of rotations. */
const selectRotated = `with t as materialized (select ${sqlTimeOrNow("$2")} as now)
  select ${keyColumnsOf("k")}, t.now::float8 as now,
    k.revoked_at is not null or coalesce(k.expires_at <= t.now, false) as ended,
    (select min(o.id) from keys o where ${isOtherOfChainSql})::float8 as other
  from keys k cross join t where k.id = $1`

const insertSuccessor = `insert into keys (account, name, prefix, hash, scopes, created_at, expires_at, monthly_credits,
    requests_per_minute, allowed_ips, first_key)
  select account, name, $2, $3, scopes, $4, $5, monthly_credits, requests_per_minute, allowed_ips, ${firstKeySql("k")}
  from keys k where k.id = $1 returning ${keyColumns}`

type RotatedRow = KeyRow & { readonly now: number; readonly ended: boolean; readonly other: number | null }

const rotateKey = (sql: PgClient.PgClient, id: number, { expiresAt, hash, now, overlapMs, prefix }: KeyRotation) =>
  sql.withTransaction(Effect.gen(function*() {
    const locked = yield* sql.unsafe(lockAccountByKey, [BigInt(id)])
    if (locked.length === 0) return yield* new UnknownKey({ key: id })
    const [row] = yield* sql.unsafe<RotatedRow>(selectRotated, [BigInt(id), int8(now)])
    const { created_at, ended, expires_at, now: rotatedAt, other } = row! // the key exists
    if (ended) return yield* new KeyEnded({ key: id })
    if (other !== null) return yield* new RotationRunning({ key: other })
    const sameLifetime = expires_at === null ? null : rotatedAt + expires_at - created_at
    const end = expiresAt === undefined ? sameLifetime : expiresAt
    if (end !== null && end <= rotatedAt) return yield* new ExpiryPassed({ expiresAt: end })
    const [successor] = yield* sql.unsafe<KeyRow>(insertSuccessor, [
      BigInt(id),
      prefix,
      hash,
      int8(rotatedAt),
      int8(end)
    ])
    const [key] = yield* sql.unsafe<KeyRow>(
      `update keys set expires_at = least(expires_at, $2) where id = $1 returning ${keyColumns}`,
      [BigInt(id), int8(rotatedAt + overlapMs)]
    )
    yield* sql.unsafe("update tasks set key = $3 where account = $1 and key = $2", [
      BigInt(key!.account),
      BigInt(id),
      BigInt(successor!.id)
    ])
    return { key: toKey(key!), successor: toKey(successor!) }
  }))

interface CreatedRow {
  readonly verdict: string
  readonly key_id: bigint | null
  readonly created_at: number
}

const mapErrors = mapSqlErrors("KeyStore")

const makeCreateKey =
  (backgroundPool: BackgroundPool): KeyStore["Service"]["createKey"] =>
  ({ account, expiresAt, hash, limit, name, now, prefix, scopes, session, ...limits }) =>
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
        const { allowedIps = [], requestsPerMinute = null } = limits
        const insert = sql.unsafe<CreatedRow>(insertKey, parameters)
        const create = allowedIps.length === 0 && requestsPerMinute === null
          ? insert
          : sql.withTransaction(Effect.tap(insert, ([row]): Effect.Effect<unknown, SqlError> =>
            row === undefined || row.key_id === null
              ? Effect.void
              : updateKeyRow(sql, Number(row.key_id), { allowedIps, requestsPerMinute })))
        return withSessionLock(sql, session, lockSessionOfAccount, account, now, create)
      })
    ).pipe(
      Effect.flatMap(([row]): Effect.Effect<KeyRecord, UnknownAccount | KeyLimit | ExpiryPassed> => {
        if (row === undefined) {
          return Effect.fail(new ExpiryPassed({ expiresAt: expiresAt! }))
        }
        if (row.verdict === "no_account") {
          return Effect.fail(new UnknownAccount({ account }))
        }
        if (row.verdict === "limit") {
          return Effect.fail(new KeyLimit({ limit }))
        }
        const id = Number(row.key_id)
        const times = { createdAt: row.created_at, expiresAt, revokedAt: null, lastUsedAt: null }
        return Effect.succeed({
          id,
          account,
          name,
          prefix,
          scopes: [...scopes],
          ...times,
          monthlyCredits: null,
          requestsPerMinute: limits.requestsPerMinute ?? null,
          allowedIps: [...limits.allowedIps ?? []],
          firstKey: id
        })
      })
    )

/**
 * Creates the operations that change keys. `publish` notifies subscribers in the current process that an account has
 * changed.
 */
export const makeKeyMethods = (
  backgroundPool: BackgroundPool,
  publish: (account: number) => Effect.Effect<void>
): Pick<
  KeyStore["Service"],
  "createKey" | "key" | "lockKey" | "updateKey" | "rotateKey" | "revokeKey" | "revokeAllKeys"
> => {
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
  const requireSession = (session: number, id: number) =>
    mapErrors(
      backgroundPool.runWithLockTimeout((sql) => withSessionLock(sql, session, lockSessionOfKey, id, null, Effect.void))
    )
  return {
    key,
    lockKey: (id) =>
      Effect.andThen(
        mapErrors(backgroundPool.runWithLockTimeout((sql) => sql.unsafe(lockAccountByKey, [BigInt(id)]))),
        key(id)
      ),
    createKey: makeCreateKey(backgroundPool),
    updateKey: (id, change) => {
      const { expiry, session, ...fields } = change
      if (expiry === undefined && Object.values(fields).every((value) => value === undefined)) {
        return session === undefined ? key(id) : Effect.andThen(requireSession(session, id), key(id))
      }
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
    rotateKey: (id, rotation) =>
      Effect.tap(
        mapErrors(backgroundPool.runWithLockTimeout((sql) =>
          withSessionLock(
            sql,
            rotation.session,
            lockSessionOfKey,
            id,
            rotation.now,
            rotateKey(sql, id, rotation)
          )
        )),
        ({ key: { account } }) => publish(account)
      ),
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
