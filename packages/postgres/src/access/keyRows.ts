import type { Account, FoundKey, KeyRecord, Scope } from "@tapeline/core/engine"

export interface AccountRow {
  readonly id: number
  readonly name: string
  readonly plan: string
  readonly created_at: number
}

export interface KeyRow {
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

/** Returns SQL for the time in a parameter, or by default for the database's time; in ms. */
export const instantOr = (parameter: string): string =>
  `coalesce(${parameter}::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)`

export const accountColumns = "id::float8 as id, name, plan, created_at::float8 as created_at"
export const keyColumns =
  `id::float8 as id, account::float8 as account, name, prefix, scopes, created_at::float8 as created_at,
  expires_at::float8 as expires_at, revoked_at::float8 as revoked_at, last_used_at::float8 as last_used_at`

export const toAccount = (row: AccountRow): Account => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  createdAt: row.created_at
})

export const toKey = (row: KeyRow): KeyRecord => ({
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

export interface FoundRow extends KeyRow {
  readonly hash: string
  readonly life_ms: number | null
  readonly account_name: string
  readonly plan: string
  readonly account_created_at: number
}

export const toFound = (row: FoundRow): FoundKey => ({
  key: toKey(row),
  account: { id: row.account, name: row.account_name, plan: row.plan, createdAt: row.account_created_at },
  lifeMs: row.life_ms
})
