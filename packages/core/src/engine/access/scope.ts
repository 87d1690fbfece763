import { Schema } from "effect"

/**
 * What a key may do. `read:market` opens every market tool; `read:korea` and `read:us` each open the market tools
 * of one area only.
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

/** What each scope opens, for whoever issues a key. */
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

/** The scopes any one of which opens an operation: the required one first, narrower alternatives after it. */
export type ScopesAny = readonly [Scope, ...ReadonlyArray<Scope>]

/** True when one of `held` opens an operation that `any` guards. */
export const grants = (held: ReadonlyArray<Scope>, any: ScopesAny): boolean => any.some((scope) => held.includes(scope))
