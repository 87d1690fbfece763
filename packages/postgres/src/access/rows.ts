import type {
  Account,
  AccountStatus,
  KeyRecord,
  KeyWithAccount,
  Scope,
  SessionEndReason,
  SessionRecord,
  SessionTokenState,
  SessionWithAccount,
  SignInMethod
} from "@tapeline/core/engine"

export interface AccountRow {
  readonly id: number
  readonly name: string
  readonly plan: string
  readonly created_at: number
  readonly external_id: string | null
  readonly metadata: string
  readonly status: AccountStatus
  readonly status_reason: string | null
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
  readonly monthly_credits: number | null
  readonly requests_per_minute: number | null
  readonly allowed_ips: ReadonlyArray<string>
  readonly first_key: number
}

/** Returns SQL for a time in epoch ms. If the parameter is null, the SQL returns the database's current time. */
export const sqlTimeOrNow = (parameter: string): string =>
  `coalesce(${parameter}::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)`

export const accountColumns =
  "id::float8 as id, name, plan, created_at::float8 as created_at, external_id, metadata, status, status_reason"

/** The columns of the account of a found key or session, which `toAccountOfFound` reads. */
export const foundAccountColumns =
  `a.name as account_name, a.plan, a.created_at::float8 as account_created_at, a.external_id, a.metadata, a.status,
    a.status_reason`

/** Returns SQL for the columns of a key, which `toKey` reads. */
export const keyColumnsOf = (table: string): string =>
  [
    ...["id", "account", "created_at", "expires_at", "revoked_at", "last_used_at", "monthly_credits"]
      .map((name) => `${table}.${name}::float8 as ${name}`),
    ...["name", "prefix", "scopes", "requests_per_minute", "allowed_ips"].map((name) => `${table}.${name}`),
    `coalesce(${table}.first_key, ${table}.id)::float8 as first_key`
  ].join(", ")
export const keyColumns = keyColumnsOf("keys")

export const toAccount = (row: AccountRow): Account => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  createdAt: row.created_at,
  externalId: row.external_id,
  metadata: JSON.parse(row.metadata),
  status: row.status,
  statusReason: row.status_reason
})

interface FoundAccountRow extends Omit<AccountRow, "id" | "name" | "created_at"> {
  readonly account: number
  readonly account_name: string
  readonly account_created_at: number
}

const toAccountOfFound = (row: FoundAccountRow): Account =>
  toAccount({ ...row, id: row.account, name: row.account_name, created_at: row.account_created_at })

export const toKey = (row: KeyRow): KeyRecord => ({
  id: row.id,
  account: row.account,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
  monthlyCredits: row.monthly_credits,
  requestsPerMinute: row.requests_per_minute,
  allowedIps: row.allowed_ips,
  firstKey: row.first_key
})

export interface FoundKeyRow extends KeyRow, FoundAccountRow {
  readonly account: number
  readonly hash: string
  readonly life_ms: number | null
}

export const toFoundKey = (row: FoundKeyRow): KeyWithAccount => ({
  key: toKey(row),
  account: toAccountOfFound(row),
  remainingMs: row.life_ms
})

export interface SessionRow {
  readonly id: number
  readonly account: number
  readonly signed_in_by: SignInMethod
  readonly device: string
  readonly created_at: number
  readonly last_used_at: number
  readonly ends_at: number
  readonly idle_ms: number
  readonly ended_at: number | null
  readonly ended_how: SessionEndReason | null
}

const bigintColumns = ["id", "account", "created_at", "last_used_at", "ends_at", "idle_ms", "ended_at"]

export const sessionColumns = [
  ...bigintColumns.map((name) => `s.${name}::float8 as ${name}`),
  "s.signed_in_by",
  "s.device",
  "s.ended_how"
].join(", ")

/** SQL for the time at which a session of the table `s` ends, in epoch ms. */
export const sessionEndSql = "coalesce(s.ended_at, least(s.ends_at, s.last_used_at + s.idle_ms))"

export const toSession = (row: SessionRow): SessionRecord => ({
  id: row.id,
  account: row.account,
  signInMethod: row.signed_in_by,
  device: row.device,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  endsAt: row.ends_at,
  idleMs: row.idle_ms,
  ended: row.ended_at === null || row.ended_how === null ? null : { at: row.ended_at, reason: row.ended_how }
})

export interface FoundSessionRow extends SessionRow, FoundAccountRow {
  readonly account: number
  readonly hash: string
  readonly state: "current" | "offered" | "past"
  readonly since_ms: number
  readonly life_ms: number
  readonly age_ms: number
}

const toTokenState = ({ since_ms, state }: FoundSessionRow): SessionTokenState =>
  state === "offered"
    ? { _tag: "Offered" }
    : state === "current"
    ? { _tag: "Current", ageMs: since_ms }
    : { _tag: "Past", replacedMsAgo: since_ms }

export const toFoundSession = (row: FoundSessionRow): SessionWithAccount => ({
  session: toSession(row),
  account: toAccountOfFound(row),
  remainingMs: row.ended_at === null ? row.life_ms : Math.min(0, row.life_ms),
  ageMs: row.age_ms,
  token: toTokenState(row)
})
