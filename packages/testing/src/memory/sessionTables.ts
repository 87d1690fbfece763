import { sessionExpiry, type SessionRecord } from "@tapeline/core/engine"

export const getEndTime = (session: SessionRecord): number => session.ended?.at ?? sessionExpiry(session)

/** The stored row of a session token, where `since` is the time of the token's last change of state. */
export interface SessionTokenRow {
  readonly session: number
  readonly state: "offered" | "current" | "past"
  readonly since: number
}

/** The stored sign-in links, sessions, session tokens and identities, with times in epoch milliseconds. */
export interface SessionTables {
  readonly links: Map<string, { readonly account: number; readonly expiresAt: number; readonly usedAt: number | null }>
  readonly sessions: Map<number, SessionRecord>
  readonly tokens: Map<string, SessionTokenRow>
  /** The account id of each identity, by issuer and subject as JSON. */
  readonly identities: Map<string, number>
  /** The time at which each response of an identity provider was used, by the hash of the response. */
  readonly answers: Map<string, number>
  readonly lastIds: { session: number }
}

export const makeSessionTables = (): SessionTables => ({
  links: new Map(),
  sessions: new Map(),
  tokens: new Map(),
  identities: new Map(),
  answers: new Map(),
  lastIds: { session: 0 }
})
