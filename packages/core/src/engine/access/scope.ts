import { Schema } from "effect"

/**
 * A permission of an API key. `read:market` permits every market tool. `read:korea` permits only the Korean market
 * tools, and `read:us` only the US market tools.
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

/** The meaning of each scope, written for people who issue keys. */
export const scopeMeanings: Readonly<Record<Scope, string>> = {
  "read:market": "every market tool",
  "read:korea": "market tools of Korea",
  "read:us": "market tools of the US",
  "read:personal": "reads the account's journal, watchlist, risk profile, tasks and notifications",
  "write:personal": "changes the account's journal, watchlist, risk profile, tasks and notifications",
  "agent:chat": "asks the analyst, which reads data of all markets on the caller's behalf, and personal records only " +
    "with their scopes; reads the account's conversations that used no personal scope that the key lacks"
}

/** Every scope, in the order of the specification. */
export const allScopes: ReadonlyArray<Scope> = Scope.literals

/** The scopes of a signed-in user. Sessions, and tasks that were created in a session, have the same scopes. */
export const userScopes: ReadonlyArray<Scope> = [...allScopes]

/** Returns whether a scope permits changes of the account's records. */
export const isWriteScope = (scope: Scope): boolean => scope.startsWith("write:")

/** A list of scopes, each of which permits an operation. The first scope permits the most operations. */
export type AlternativeScopes = readonly [Scope, ...ReadonlyArray<Scope>]

/** Returns whether one of the `granted` scopes permits an operation that accepts any of the `accepted` scopes. */
export const hasAnyScope = (granted: ReadonlyArray<Scope>, accepted: AlternativeScopes): boolean =>
  accepted.some((scope) => granted.includes(scope))
