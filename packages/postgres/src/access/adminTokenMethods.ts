import {
  type AdminScope,
  type AdminStore,
  AdminTokenNameTaken,
  type AdminTokenRecord,
  ExpiryPassed,
  tokenUseIntervalMs,
  UnknownAdminToken
} from "@tapeline/core/engine"
import { Effect } from "effect"
import type { BackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { int8, texts } from "../parameters.ts"
import { sqlTimeOrNow } from "./rows.ts"

interface AdminTokenRow {
  readonly id: number
  readonly name: string
  readonly scopes: ReadonlyArray<AdminScope>
  readonly created_at: number
  readonly created_by: string
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly last_used_at: number | null
}

const tokenColumns = `id::float8 as id, name, scopes, created_at::float8 as created_at, created_by,
  expires_at::float8 as expires_at, revoked_at::float8 as revoked_at, last_used_at::float8 as last_used_at`

const toToken = (row: AdminTokenRow): AdminTokenRecord => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes,
  createdAt: row.created_at,
  createdBy: row.created_by,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at
})

/** SQL for a token that is neither revoked nor expired at the time `t.now`. */
const isValidSql = "revoked_at is null and (expires_at is null or expires_at > t.now)"

const isUseDueSql = `(last_used_at is null or last_used_at <= t.now - ${tokenUseIntervalMs})`

/** Makes the check of a token's name and the insertion of the token atomic. */
const lockNames = "select pg_advisory_xact_lock(hashtext('tapeline.admin_tokens'))"

const checkNewToken = `with t as materialized (select ${sqlTimeOrNow("$3")} as now)
  select coalesce($2::bigint <= t.now, false) as passed,
    exists (select from admin_tokens where name = $1 and ${isValidSql}) as taken from t`

const insertToken = `insert into admin_tokens (name, hash, scopes, created_by, expires_at, created_at)
  values ($1, $2, $3, $4, $5, ${sqlTimeOrNow("$6")}) returning ${tokenColumns}`

const findTokens = `with t as materialized (select ${sqlTimeOrNow("$2")} as now)
  select ${tokenColumns}, hash, ${isUseDueSql} as is_use_due
  from admin_tokens cross join t where hash = any($1) and ${isValidSql}`

const recordUse = `with t as materialized (select ${sqlTimeOrNow("$2")} as now), due as materialized (
    select id, t.now from admin_tokens cross join t where id = $1 and ${isUseDueSql}
    for no key update of admin_tokens skip locked
  )
  update admin_tokens a set last_used_at = due.now from due where a.id = due.id`

/** Creates the methods of `AdminStore` for named admin tokens. */
export const makeAdminTokenMethods = (
  backgroundPool: BackgroundPool
): Pick<
  AdminStore["Service"],
  "createToken" | "tokens" | "revokeToken" | "findTokens" | "recordTokenUse"
> => {
  const mapErrors = mapSqlErrors("AdminStore")
  return {
    createToken: ({ createdBy, expiresAt, hash, name, now, scopes }) =>
      mapErrors(backgroundPool.runWithLockTimeout((sql) =>
        sql.withTransaction(Effect.gen(function*() {
          yield* sql.unsafe(lockNames)
          const [check] = yield* sql.unsafe<{ readonly passed: boolean; readonly taken: boolean }>(checkNewToken, [
            name,
            int8(expiresAt),
            int8(now)
          ])
          if (expiresAt !== null && check!.passed) return yield* new ExpiryPassed({ expiresAt })
          if (check!.taken) return yield* new AdminTokenNameTaken({ tokenName: name })
          const parameters = [name, hash, texts(scopes), createdBy, int8(expiresAt), int8(now)]
          const [row] = yield* sql.unsafe<AdminTokenRow>(insertToken, parameters)
          return toToken(row!)
        }))
      )),
    tokens: ({ after, limit }) =>
      Effect.map(
        mapErrors(backgroundPool.run((sql) =>
          sql.unsafe<AdminTokenRow>(
            `select ${tokenColumns} from admin_tokens where admin_tokens.id > $1 order by admin_tokens.id limit $2`,
            [BigInt(after), BigInt(limit)]
          )
        )),
        (rows) => rows.map(toToken)
      ),
    revokeToken: (id, now) =>
      mapErrors(backgroundPool.runWithLockTimeout((sql) =>
        sql.withTransaction(Effect.gen(function*() {
          const [found] = yield* sql.unsafe<AdminTokenRow>(
            `select ${tokenColumns} from admin_tokens where admin_tokens.id = $1 for no key update`,
            [BigInt(id)]
          )
          if (found === undefined) return yield* new UnknownAdminToken({ token: id })
          if (found.revoked_at !== null) return { token: toToken(found), isChanged: false }
          const [row] = yield* sql.unsafe<AdminTokenRow>(
            `update admin_tokens set revoked_at = ${sqlTimeOrNow("$2")} where id = $1 returning ${tokenColumns}`,
            [BigInt(id), int8(now)]
          )
          return { token: toToken(row!), isChanged: true }
        }))
      )),
    findTokens: (hashes, now) =>
      Effect.map(
        mapErrors(backgroundPool.run((sql) =>
          sql.unsafe<AdminTokenRow & { readonly hash: string; readonly is_use_due: boolean }>(findTokens, [
            texts(hashes),
            int8(now)
          ])
        )),
        (rows) => {
          const found = new Map(rows.map((row) => [row.hash, { token: toToken(row), isUseDue: row.is_use_due }]))
          return hashes.map((hash) =>
            found.get(hash) ?? null
          )
        }
      ),
    recordTokenUse: (id, now) =>
      Effect.asVoid(mapErrors(backgroundPool.run((sql) => sql.unsafe(recordUse, [BigInt(id), int8(now)]))))
  }
}
