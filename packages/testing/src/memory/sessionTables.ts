import { sessionExpiry, type SessionRecord } from "@tapeline/core/engine"

/** The time at which a session ended or expires. */
export const getEndTime = (session: SessionRecord): number => session.ended?.at ?? sessionExpiry(session)

/** A text of a session. `since` is the time of its last change of state. */
export interface TextRow {
  readonly session: number
  readonly state: "offered" | "current" | "past"
  readonly since: number
}

/** The rows of links, sessions and their texts. Times are epoch ms. */
export interface SessionTables {
  /** By hash. */
  readonly links: Map<string, { readonly account: number; readonly expiresAt: number; readonly usedAt: number | null }>
  readonly sessions: Map<number, SessionRecord>
  /** By hash. */
  readonly texts: Map<string, TextRow>
  /** The account of an identity, by issuer and subject as JSON. */
  readonly identities: Map<string, number>
  /** The time at which a provider's answer was used, by hash. */
  readonly answers: Map<string, number>
  /** The number of the last session. */
  readonly lastIds: { session: number }
}

export const makeSessionTables = (): SessionTables => ({
  links: new Map(),
  sessions: new Map(),
  texts: new Map(),
  identities: new Map(),
  answers: new Map(),
  lastIds: { session: 0 }
})
