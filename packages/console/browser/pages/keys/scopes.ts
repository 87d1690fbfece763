import type { Scope } from "@tapeline/core/specifications"

export type ScopeSubject = "market" | "personal" | "analyst"

/** The subject of each scope, in the order in which the form lists the scopes. */
const scopeSubjects: Readonly<Record<Scope, ScopeSubject>> = {
  "read:market": "market",
  "read:korea": "market",
  "read:us": "market",
  "read:personal": "personal",
  "write:personal": "personal",
  "agent:chat": "analyst"
}

// `Object.keys` returns plain strings, in the order of the object.
export const scopes = Object.keys(scopeSubjects) as ReadonlyArray<Scope>

export const scopeGroups = (["market", "personal", "analyst"] as const).map((subject) => ({
  subject,
  scopes: scopes.filter((scope) => scopeSubjects[scope] === subject)
}))

/** Returns whether another selected scope includes a scope: `read:market` includes `read:korea` and `read:us`. */
export const isIncluded = (scope: Scope, selected: ReadonlyArray<Scope>): boolean =>
  (scope === "read:korea" || scope === "read:us") && selected.includes("read:market")

/** Returns the selected scopes without the scopes that other selected scopes include. */
export const minimalScopes = (selected: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  scopes.filter((scope) => selected.includes(scope) && !isIncluded(scope, selected))
