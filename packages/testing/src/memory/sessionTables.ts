import { sessionExpiry, type SessionRecord } from "@tapeline/core/engine"

/** When a session is over: ended before its time, or run out. */
export const overAt = (session: SessionRecord): number => session.ended?.at ?? sessionExpiry(session)

/** A text of a session; `since` is when it came to be in its state. */
export interface TextRow {
  readonly session: number
  readonly state: "offered" | "current" | "past"
  readonly since: number
}

/** What the database's rows of links, sessions and their texts hold. Times are epoch ms. */
export interface SessionTables {
  /** By hash. */
  readonly links: Map<string, { readonly account: number; readonly expiresAt: number; readonly usedAt: number | null }>
  readonly sessions: Map<number, SessionRecord>
  /** By hash. */
  readonly texts: Map<string, TextRow>
  /** The account of an identity, by issuer and subject as JSON. */
  readonly identities: Map<string, number>
  /** When an answer of a provider was used, by hash. */
  readonly answers: Map<string, number>
  /** The last session's number. */
  readonly last: { session: number }
}

export const emptySessionTables = (): SessionTables => ({
  links: new Map(),
  sessions: new Map(),
  texts: new Map(),
  identities: new Map(),
  answers: new Map(),
  last: { session: 0 }
})
