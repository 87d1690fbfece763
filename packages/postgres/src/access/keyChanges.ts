import { type PgClient, PgTypes } from "@effect/sql-pg"
import {
  type KeyChange,
  KeyLimit,
  type KeyRecord,
  type KeyStore,
  UnknownAccount,
  UnknownKey
} from "@tapeline/core/access"
import { Effect } from "effect"
import type { Aside } from "../connection/SideSessions.ts"
import { unavailable } from "../errors.ts"
import { texts } from "../parameters.ts"
import { keyColumns, type KeyRow, toKey } from "./keyRows.ts"

/** Locks the account of a key. A statement of its own, so that the next one sees every key that was there then. */
const lockAccountOf = `select a.id as account from keys k join accounts a on a.id = k.account where k.id = $1
  for no key update of a`

/** Whether a key that is dead at `$3` would live again with the expiry `$2`, beside as many live ones as may be. */
const wouldExceed = `select k.revoked_at is null and k.expires_at <= $3 and ($2::bigint is null or $2 > $3)
    and (
      select count(*) from keys o
      where o.account = k.account and o.revoked_at is null and (o.expires_at is null or o.expires_at > $3)
    ) >= $4 as refused
  from keys k where k.id = $1`

const nullable = (at: number | null) => PgTypes.int8(at === null ? null : BigInt(at))

const updateRow = (sql: PgClient.PgClient, id: number, { expiry, scopes }: KeyChange) =>
  sql.unsafe<KeyRow>(
    `update keys set scopes = coalesce($2, scopes), expires_at = case when $3 then $4 else expires_at end
      where id = $1 returning ${keyColumns}`,
    [BigInt(id), texts(scopes ?? null), expiry !== undefined, nullable(expiry?.at ?? null)]
  )

/** Changes an expiry, counting a key that comes back to life. */
const updateExpiry = (
  sql: PgClient.PgClient,
  id: number,
  change: KeyChange,
  { at, limit, now }: NonNullable<KeyChange["expiry"]>
) =>
  sql.withTransaction(Effect.gen(function*() {
    // The account is locked as `create_key` locks it, so that the count holds until the change is made.
    const [held] = yield* sql.unsafe<{ readonly account: bigint }>(lockAccountOf, [BigInt(id)])
    if (held === undefined) return yield* new UnknownKey({ key: id })
    const [row] = yield* sql.unsafe<{ readonly refused: boolean }>(wouldExceed, [
      BigInt(id),
      nullable(at),
      BigInt(now),
      BigInt(limit)
    ])
    return row?.refused === true ? yield* new KeyLimit({ limit }) : yield* updateRow(sql, id, change)
  }))

interface CreatedRow {
  readonly verdict: string
  readonly key_id: bigint | null
}

/** The changes of keys, on sessions beside those of calls; `publish` tells this node's subscribers of an account's. */
export const keyChanges = (
  aside: Aside,
  publish: (account: number) => Effect.Effect<void>
): Pick<KeyStore["Service"], "createKey" | "key" | "updateKey" | "revokeKey"> => {
  const guard = unavailable("KeyStore")
  const found = (id: number) => ([row]: ReadonlyArray<KeyRow>) =>
    row === undefined ? Effect.fail(new UnknownKey({ key: id })) : Effect.succeed(toKey(row))
  const changed = (id: number) => (rows: ReadonlyArray<KeyRow>) =>
    Effect.tap(found(id)(rows), ({ account }) => publish(account))
  const key = (id: number) =>
    Effect.flatMap(
      guard(aside.run((sql) => sql.unsafe<KeyRow>(`select ${keyColumns} from keys where id = $1`, [BigInt(id)]))),
      found(id)
    )
  return {
    key,
    createKey: ({ account, expiresAt, hash, limit, name, now, prefix, scopes }) =>
      guard(
        aside.change((sql) =>
          sql.unsafe<CreatedRow>("select verdict, key_id from create_key($1, $2, $3, $4, $5, $6, $7, $8)", [
            BigInt(account),
            name,
            prefix,
            hash,
            texts(scopes),
            nullable(expiresAt),
            limit,
            BigInt(now)
          ])
        )
      ).pipe(
        Effect.flatMap(([row]): Effect.Effect<KeyRecord, UnknownAccount | KeyLimit> => {
          if (row?.verdict === "no_account") return Effect.fail(new UnknownAccount({ account }))
          if (row?.verdict === "limit") return Effect.fail(new KeyLimit({ limit }))
          const id = Number(row!.key_id)
          const since = { createdAt: now, expiresAt, revokedAt: null, lastUsedAt: null }
          return Effect.succeed({ id, account, name, prefix, scopes: [...scopes], ...since })
        })
      ),
    updateKey: (id, change) => {
      const { expiry, scopes } = change
      if (expiry === undefined && scopes === undefined) return key(id)
      return Effect.flatMap(
        guard(
          aside.change((sql) =>
            expiry === undefined ? updateRow(sql, id, change) : updateExpiry(sql, id, change, expiry)
          )
        ),
        changed(id)
      )
    },
    revokeKey: (id, now) =>
      Effect.flatMap(
        guard(aside.change((sql) =>
          sql.unsafe<KeyRow>(
            `update keys set revoked_at = coalesce(revoked_at, $2) where id = $1 returning ${keyColumns}`,
            [BigInt(id), BigInt(now)]
          )
        )),
        changed(id)
      )
  }
}
