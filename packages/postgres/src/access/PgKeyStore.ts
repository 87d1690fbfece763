import { PgClient, PgTypes } from "@effect/sql-pg"
import {
  type Account,
  type FoundKey,
  type KeyChange,
  KeyLimit,
  type KeyRecord,
  KeyStore,
  type PlanUse,
  type Scope,
  UnknownAccount,
  UnknownKey
} from "@tapeline/core/access"
import { Effect, Layer } from "effect"
import { unavailable } from "../errors.ts"
import { bigints, texts } from "../parameters.ts"
import { AccessChannel } from "./AccessChannel.ts"

interface AccountRow {
  readonly id: number
  readonly name: string
  readonly plan: string
  readonly created_at: number
}

interface KeyRow {
  readonly id: number
  readonly account: number
  readonly name: string
  readonly prefix: string
  readonly scopes: ReadonlyArray<Scope>
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly last_used_at: number | null
}

const accountColumns = "id::float8 as id, name, plan, created_at::float8 as created_at"
const keyColumns =
  `id::float8 as id, account::float8 as account, name, prefix, scopes, created_at::float8 as created_at,
  expires_at::float8 as expires_at, revoked_at::float8 as revoked_at, last_used_at::float8 as last_used_at`

/** The hot look-up: keys that no cache knows. */
export const findKeys = `select k.id::float8 as id, k.account::float8 as account, k.name, k.prefix, k.scopes,
    k.created_at::float8 as created_at, k.expires_at::float8 as expires_at, k.revoked_at::float8 as revoked_at,
    k.last_used_at::float8 as last_used_at,
    k.expires_at - extract(epoch from clock_timestamp())::float8 * 1000 as life_ms, k.hash, a.name as account_name, a.plan, a.created_at::float8 as account_created_at
  from keys k join accounts a on a.id = k.account where k.hash = any($1)`

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

/** Notes uses. Rows are locked in the order of their ids, for several nodes do it at once. */
export const touchUsed = `with u as (
    select k.id, u.at from unnest($1::bigint[], $2::bigint[]) as u (id, at) join keys k on k.id = u.id
    where k.last_used_at is null or k.last_used_at < u.at
    order by k.id for no key update of k
  )
  update keys k set last_used_at = greatest(k.last_used_at, u.at) from u where k.id = u.id`

const toAccount = (row: AccountRow): Account => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  createdAt: row.created_at
})

const toKey = (row: KeyRow): KeyRecord => ({
  id: row.id,
  account: row.account,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at
})

interface FoundRow extends KeyRow {
  readonly hash: string
  readonly life_ms: number | null
  readonly account_name: string
  readonly plan: string
  readonly account_created_at: number
}

const toFound = (row: FoundRow): FoundKey => ({
  key: toKey(row),
  account: { id: row.account, name: row.account_name, plan: row.plan, createdAt: row.account_created_at },
  lifeMs: row.life_ms
})

/** `KeyStore` on PostgreSQL or PGlite. */
export const PgKeyStore: Layer.Layer<KeyStore, never, PgClient.PgClient | AccessChannel> = Layer.effect(
  KeyStore,
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const channel = yield* AccessChannel
    const guard = unavailable("KeyStore")

    const account = (id: number) =>
      guard(sql.unsafe<AccountRow>(`select ${accountColumns} from accounts where id = $1`, [BigInt(id)])).pipe(
        Effect.flatMap(([row]) =>
          row === undefined ? Effect.fail(new UnknownAccount({ account: id })) : Effect.succeed(toAccount(row))
        )
      )
    const changed = (id: number) => ([row]: ReadonlyArray<KeyRow>) =>
      row === undefined
        ? Effect.fail(new UnknownKey({ key: id }))
        : Effect.as(channel.publish(row.account), toKey(row))
    const update = (id: number, { expiry, scopes }: KeyChange) =>
      sql.unsafe<KeyRow>(
        `update keys set scopes = coalesce($2, scopes), expires_at = case when $3 then $4 else expires_at end
          where id = $1 returning ${keyColumns}`,
        [
          BigInt(id),
          texts(scopes ?? null),
          expiry !== undefined,
          PgTypes.int8(expiry === undefined || expiry.at === null ? null : BigInt(expiry.at))
        ]
      )
    const readKey = (id: number) =>
      Effect.flatMap(
        guard(sql.unsafe<KeyRow>(`select ${keyColumns} from keys where id = $1`, [BigInt(id)])),
        ([row]) => row === undefined ? Effect.fail(new UnknownKey({ key: id })) : Effect.succeed(toKey(row))
      )

    return KeyStore.of({
      createAccount: ({ name, now, plan }) =>
        Effect.map(
          guard(sql.unsafe<AccountRow>(
            `insert into accounts (name, plan, created_at) values ($1, $2, $3) returning ${accountColumns}`,
            [name, plan, BigInt(now)]
          )),
          ([row]) => toAccount(row!)
        ),
      account,
      accounts: ({ after, limit }) =>
        Effect.map(
          guard(sql.unsafe<AccountRow>(
            `select ${accountColumns} from accounts where accounts.id > $1 order by accounts.id limit $2`,
            [BigInt(after), BigInt(limit)]
          )),
          (rows) => rows.map(toAccount)
        ),
      plansBeside: (known, few) =>
        guard(sql.unsafe<PlanUse>(
          `select plan, count(*)::float8 as accounts,
              to_json((array_agg(id::float8 order by id))[1:${few}]) as first
            from accounts where plan <> all($1) group by plan order by plan`,
          [texts(known)]
        )),
      createKey: (key) =>
        guard(sql.unsafe<{ verdict: string; key_id: bigint | null }>(
          "select verdict, key_id from create_key($1, $2, $3, $4, $5, $6, $7, $8)",
          [
            BigInt(key.account),
            key.name,
            key.prefix,
            key.hash,
            texts(key.scopes),
            PgTypes.int8(key.expiresAt === null ? null : BigInt(key.expiresAt)),
            key.limit,
            BigInt(key.now)
          ]
        )).pipe(
          Effect.flatMap(([row]): Effect.Effect<KeyRecord, UnknownAccount | KeyLimit> => {
            if (row?.verdict === "no_account") return Effect.fail(new UnknownAccount({ account: key.account }))
            if (row?.verdict === "limit") return Effect.fail(new KeyLimit({ limit: key.limit }))
            return Effect.succeed({
              id: Number(row!.key_id),
              account: key.account,
              name: key.name,
              prefix: key.prefix,
              scopes: [...key.scopes],
              createdAt: key.now,
              expiresAt: key.expiresAt,
              revokedAt: null,
              lastUsedAt: null
            })
          })
        ),
      key: readKey,
      keys: (id, { after, limit }) =>
        Effect.andThen(
          account(id),
          Effect.map(
            guard(
              sql.unsafe<KeyRow>(
                `select ${keyColumns} from keys where account = $1 and keys.id > $2 order by keys.id limit $3`,
                [BigInt(id), BigInt(after), BigInt(limit)]
              )
            ),
            (rows) => rows.map(toKey)
          )
        ),
      updateKey: (id, change) => {
        if (change.expiry === undefined) {
          return change.scopes === undefined ? readKey(id) : Effect.flatMap(guard(update(id, change)), changed(id))
        }
        const { at, limit, now } = change.expiry
        const counted = Effect.gen(function*() {
          // The account is locked as `create_key` locks it, so that the count holds until the change is made.
          const [held] = yield* sql.unsafe<{ readonly account: bigint }>(lockAccountOf, [BigInt(id)])
          if (held === undefined) return yield* new UnknownKey({ key: id })
          const [row] = yield* sql.unsafe<{ readonly refused: boolean }>(wouldExceed, [
            BigInt(id),
            PgTypes.int8(at === null ? null : BigInt(at)),
            BigInt(now),
            BigInt(limit)
          ])
          return row?.refused === true ? yield* new KeyLimit({ limit }) : yield* update(id, change)
        })
        return Effect.flatMap(guard(sql.withTransaction(counted)), changed(id))
      },
      revokeKey: (id, now) =>
        Effect.flatMap(
          guard(sql.unsafe<KeyRow>(
            `update keys set revoked_at = coalesce(revoked_at, $2) where id = $1 returning ${keyColumns}`,
            [BigInt(id), BigInt(now)]
          )),
          changed(id)
        ),
      findByHashes: (hashes) =>
        Effect.map(guard(sql.unsafe<FoundRow>(findKeys, [texts(hashes)])), (rows) => {
          const found = new Map(rows.map((row) => [row.hash, toFound(row)]))
          return hashes.map((hash) => found.get(hash) ?? null)
        }),
      touchKeys: (uses) =>
        uses.size === 0
          ? Effect.void
          : Effect.asVoid(guard(sql.unsafe(touchUsed, [bigints([...uses.keys()]), bigints([...uses.values()])]))),
      changes: channel.changes,
      hearsChanges: channel.hears
    })
  })
)
