import type { FoundSession, SessionEnd, SessionRecord, SignedInBy, TextState } from "@tapeline/core/engine"

export interface SessionRow {
  readonly id: number
  readonly account: number
  readonly signed_in_by: SignedInBy
  readonly device: string
  readonly created_at: number
  readonly last_used_at: number
  readonly ends_at: number
  readonly idle_ms: number
  readonly ended_at: number | null
  readonly ended_how: SessionEnd | null
}

const bigints = ["id", "account", "created_at", "last_used_at", "ends_at", "idle_ms", "ended_at"]

/** All columns of a session, from the table `s`. */
export const sessionColumns = [
  ...bigints.map((name) => `s.${name}::float8 as ${name}`),
  "s.signed_in_by",
  "s.device",
  "s.ended_how"
].join(", ")

/** SQL for the time at which a session of the table `s` ends, in ms. */
export const overAt = "coalesce(s.ended_at, least(s.ends_at, s.last_used_at + s.idle_ms))"

export const toSession = (row: SessionRow): SessionRecord => ({
  id: row.id,
  account: row.account,
  by: row.signed_in_by,
  device: row.device,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  endsAt: row.ends_at,
  idleMs: row.idle_ms,
  ended: row.ended_at === null || row.ended_how === null ? null : { at: row.ended_at, how: row.ended_how }
})

export interface FoundSessionRow extends SessionRow {
  readonly hash: string
  readonly state: "current" | "offered" | "past"
  readonly since_ms: number
  readonly life_ms: number
  readonly account_name: string
  readonly plan: string
  readonly account_created_at: number
}

const toText = ({ since_ms, state }: FoundSessionRow): TextState =>
  state === "offered"
    ? { _tag: "Offered" }
    : state === "current"
    ? { _tag: "Current", ageMs: since_ms }
    : { _tag: "Past", agoMs: since_ms }

export const toFoundSession = (row: FoundSessionRow): FoundSession => ({
  session: toSession(row),
  account: { id: row.account, name: row.account_name, plan: row.plan, createdAt: row.account_created_at },
  lifeMs: row.ended_at === null ? row.life_ms : Math.min(0, row.life_ms),
  text: toText(row)
})
