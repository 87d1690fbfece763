import { PgClient } from "@effect/sql-pg"
import { KeyStore, type PlanAccounts, UnknownAccount } from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { type BackgroundPool, makeBackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { bigints, int8, texts } from "../parameters.ts"
import { AccessChannel } from "./AccessChannel.ts"
import { makeKeyMethods } from "./keyMethods.ts"
import {
  accountColumns,
  type AccountRow,
  type FoundKeyRow,
  keyColumns,
  type KeyRow,
  sqlTimeOrNow,
  toAccount,
  toFoundKey,
  toKey
} from "./rows.ts"

/** Finds the keys with the given hashes, and the accounts of the keys. */
export const findKeys = `select k.id::float8 as id, k.account::float8 as account, k.name, k.prefix, k.scopes,
    k.created_at::float8 as created_at, k.expires_at::float8 as expires_at, k.revoked_at::float8 as revoked_at,
    k.last_used_at::float8 as last_used_at,
    k.expires_at - extract(epoch from clock_timestamp())::float8 * 1000 as life_ms, k.hash,
    a.name as account_name, a.plan, a.created_at::float8 as account_created_at
  from keys k join accounts a on a.id = k.account where k.hash = any($1)`

/**
 * Stores when each key was last used. `$2` contains the ms since each key was last used. Skips keys that another
 * transaction has locked, and returns the ids of the skipped keys. Rows are locked in the order of their ids, because
 * several nodes run the statement at the same time.
 */
export const updateLastUsed = `with t as materialized (select ${sqlTimeOrNow("$3")} as now), due as materialized (
    select k.id, u.at from (select id, now - ago as at from unnest($1::bigint[], $2::bigint[]) as a (id, ago), t) u
      join keys k on k.id = u.id
    where k.last_used_at is null or k.last_used_at < u.at
  ), free as materialized (
    select k.id, d.at from due d join keys k on k.id = d.id order by k.id for no key update of k skip locked
  ), noted as (
    update keys k set last_used_at = greatest(k.last_used_at, f.at) from free f where k.id = f.id
  )
  select id::float8 as id from due where id not in (select id from free)`

const mapErrors = mapSqlErrors("KeyStore")

const makeAccountMethods = (
  backgroundPool: BackgroundPool
): Pick<KeyStore["Service"], "createAccount" | "account" | "accounts" | "keys"> => {
  const queryRows = <Row extends object>(text: string, parameters: Parameters<PgClient.PgClient["unsafe"]>[1]) =>
    mapErrors(backgroundPool.run((sql) => sql.unsafe<Row>(text, parameters)))
  const account = (id: number) =>
    Effect.flatMap(
      queryRows<AccountRow>(`select ${accountColumns} from accounts where id = $1`, [BigInt(id)]),
      ([row]) => row === undefined ? Effect.fail(new UnknownAccount({ account: id })) : Effect.succeed(toAccount(row))
    )
  return {
    account,
    createAccount: ({ name, now, plan }) =>
      Effect.map(
        queryRows<AccountRow>(
          `insert into accounts (name, plan, created_at) values ($1, $2, ${
            sqlTimeOrNow("$3")
          }) returning ${accountColumns}`,
          [name, plan, int8(now)]
        ),
        ([row]) => toAccount(row!)
      ),
    accounts: ({ after, limit }) =>
      Effect.map(
        queryRows<AccountRow>(
          `select ${accountColumns} from accounts where accounts.id > $1 order by accounts.id limit $2`,
          [BigInt(after), BigInt(limit)]
        ),
        (found) => found.map(toAccount)
      ),
    keys: (id, { after, limit }) =>
      Effect.andThen(
        account(id),
        Effect.map(
          queryRows<KeyRow>(
            `select ${keyColumns} from keys where account = $1 and keys.id > $2 order by keys.id limit $3`,
            [BigInt(id), BigInt(after), BigInt(limit)]
          ),
          (found) => found.map(toKey)
        )
      )
  }
}

/** Implements `KeyStore` with PostgreSQL or PGlite. */
export const PgKeyStore: Layer.Layer<KeyStore, never, PgClient.PgClient | AccessChannel> = Layer.effect(
  KeyStore,
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const [backgroundPool, channel] = yield* Effect.all([makeBackgroundPool, AccessChannel])
    return KeyStore.of({
      ...makeAccountMethods(backgroundPool),
      ...makeKeyMethods(backgroundPool, channel.publish),
      plansOutside: (known, few) =>
        mapErrors(backgroundPool.runAtStart((sql) =>
          Effect.map(
            sql.unsafe<Pick<PlanAccounts, "plan" | "accounts"> & { readonly first: PlanAccounts["firstAccounts"] }>(
              `select plan, count(*)::float8 as accounts,
                to_json((array_agg(id::float8 order by id))[1:${few}]) as first
              from accounts where plan <> all($1) group by plan order by plan`,
              [texts(known)]
            ),
            (rows) => rows.map(({ accounts, first, plan }): PlanAccounts => ({ plan, accounts, firstAccounts: first }))
          )
        )),
      findByHashes: (hashes) =>
        Effect.map(mapErrors(sql.unsafe<FoundKeyRow>(findKeys, [texts(hashes)])), (rows) => {
          const found = new Map(rows.map((row) => [row.hash, toFoundKey(row)]))
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
          ),
      changes: channel.changes,
      isReceivingChanges: channel.isReceiving
    })
  })
)
