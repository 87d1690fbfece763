import { Schema } from "effect"

/**
 * A permission of a key. `read:market` permits every market tool. `read:korea` and `read:us` each permit only the
 * market tools of one area.
 */
export const Scope = Schema.Literals([
  "read:market",
  "read:korea",
  "read:us",
  "read:personal",
  "write:personal",
  "agent:chat"
])
export type Scope = typeof Scope.Type

/** The meaning of each scope, for people who issue keys. */
export const scopeMeanings: Readonly<Record<Scope, string>> = {
  "read:market": "every market tool",
  "read:korea": "the market tools of Korea",
  "read:us": "the market tools of the US",
  "read:personal": "the account's own records: positions, trades, tasks",
  "write:personal": "changing them",
  "agent:chat": "the analyst, which reads all market data on the caller's behalf, personal records only with their " +
    "scopes, and the account's conversations that used no personal scope which the key lacks"
}

/** Every scope, in the order of the specification. */
export const allScopes: ReadonlyArray<Scope> = Scope.literals

/** The scopes of an account's user: of a session, and of a task that was created in a session. */
export const userScopes: ReadonlyArray<Scope> = [...allScopes]

/** Scopes of which any one permits an operation: the required scope first, then narrower alternatives. */
export type AlternativeScopes = readonly [Scope, ...ReadonlyArray<Scope>]

/** True if one of the `granted` scopes permits an operation that requires one of `any`. */
export const hasAnyScope = (granted: ReadonlyArray<Scope>, accepted: AlternativeScopes): boolean =>
  accepted.some((scope) => granted.includes(scope))
