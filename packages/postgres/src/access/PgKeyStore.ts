import { PgClient } from "@effect/sql-pg"
import { AccountClosed, ExternalIdTaken, KeyStore, type PlanAccounts, UnknownAccount } from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { type BackgroundPool, makeBackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { bigints, int8, texts } from "../parameters.ts"
import { AccessChannel } from "./AccessChannel.ts"
import { makeKeyMethods } from "./keyMethods.ts"
import {
  accountColumns,
  type AccountRow,
  foundAccountColumns,
  type FoundKeyRow,
  keyColumns,
  keyColumnsOf,
  type KeyRow,
  sqlTimeOrNow,
  toAccount,
  toFoundKey,
  toKey
} from "./rows.ts"

/** Finds the keys with the given hashes, and the accounts of the keys. */
export const findKeys = `select ${keyColumnsOf("k")},
    k.expires_at - extract(epoch from clock_timestamp())::float8 * 1000 as life_ms, k.hash,
    ${foundAccountColumns}
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

const insertAccount = `insert into accounts (name, plan, created_at, external_id, metadata)
  values ($1, $2, ${sqlTimeOrNow("$3")}, $4, $5) returning ${accountColumns}`

const updateAccountRow = `update accounts set name = coalesce($2, name),
    external_id = case when $3 then $4 else external_id end, metadata = coalesce($5, metadata),
    status = coalesce($6, status), status_reason = case when $6 is null then status_reason else $7 end
  where id = $1 returning ${accountColumns}`

/** Converts a violation of the unique index of external ids to `ExternalIdTaken`. */
const catchTakenId =
  (externalId: string | null | undefined) =>
  <A, E>(effect: Effect.Effect<A, E | SqlError>): Effect.Effect<A, E | SqlError | ExternalIdTaken> =>
    Effect.catchIf(
      effect,
      (error): error is SqlError => isSqlError(error) && error.reason._tag === "UniqueViolation",
      () => Effect.fail(new ExternalIdTaken({ externalId: externalId ?? "" }))
    )

const makeAccountMethods = (
  backgroundPool: BackgroundPool,
  publish: (account: number) => Effect.Effect<void>
): Pick<
  KeyStore["Service"],
  "createAccount" | "account" | "accountByExternalId" | "updateAccount" | "accounts" | "keys"
> => {
  const queryRows = <Row extends object>(text: string, parameters: Parameters<PgClient.PgClient["unsafe"]>[1]) =>
    mapErrors(backgroundPool.run((sql) => sql.unsafe<Row>(text, parameters)))
  const account = (id: number) =>
    Effect.flatMap(
      queryRows<AccountRow>(`select ${accountColumns} from accounts where id = $1`, [BigInt(id)]),
      ([row]) => row === undefined ? Effect.fail(new UnknownAccount({ account: id })) : Effect.succeed(toAccount(row))
    )
  return {
    account,
    createAccount: ({ externalId, metadata, name, now, plan }) =>
      Effect.map(
        mapErrors(
          catchTakenId(externalId)(backgroundPool.run((sql) =>
            sql.unsafe<AccountRow>(insertAccount, [
              name,
              plan,
              int8(now),
              externalId ?? null,
              JSON.stringify(metadata ?? {})
            ])
          ))
        ),
        ([row]) => toAccount(row!)
      ),
    accountByExternalId: (externalId) =>
      Effect.map(
        queryRows<AccountRow>(`select ${accountColumns} from accounts where external_id = $1`, [externalId]),
        ([row]) => row === undefined ? null : toAccount(row)
      ),
    updateAccount: (id, { externalId, metadata, name, status }) =>
      mapErrors(
        catchTakenId(externalId)(backgroundPool.runWithLockTimeout((sql) =>
          sql.withTransaction(Effect.gen(function*() {
            const [found] = yield* sql.unsafe<AccountRow>(
              `select ${accountColumns} from accounts where id = $1 for no key update`,
              [BigInt(id)]
            )
            if (found === undefined) return yield* new UnknownAccount({ account: id })
            const before = toAccount(found)
            if (status !== undefined && before.status === "closed" && status.status !== "closed") {
              return yield* new AccountClosed({ account: id })
            }
            const [row] = yield* sql.unsafe<AccountRow>(updateAccountRow, [
              BigInt(id),
              name ?? null,
              externalId !== undefined,
              externalId ?? null,
              metadata === undefined ? null : JSON.stringify(metadata),
              status?.status ?? null,
              status?.reason ?? null
            ])
            return { before, after: toAccount(row!) }
          }))
        ))
      ).pipe(Effect.tap(() => publish(id))),
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
      ...makeAccountMethods(backgroundPool, channel.publish),
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
