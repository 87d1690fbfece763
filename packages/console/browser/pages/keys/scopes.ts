import type { Scope } from "@tapeline/core/specifications"

export type ScopeSubject = "market" | "personal" | "analyst"

/** The subject of each scope, in the order in which scopes are offered. */
const scopeSubjects: Readonly<Record<Scope, ScopeSubject>> = {
  "read:market": "market",
  "read:korea": "market",
  "read:us": "market",
  "read:personal": "personal",
  "write:personal": "personal",
  "agent:chat": "analyst"
}

// In the order above.
export const scopes = Object.keys(scopeSubjects) as ReadonlyArray<Scope>

/** The scopes by subject. */
export const scopeGroups = (["market", "personal", "analyst"] as const).map((subject) => ({
  subject,
  scopes: scopes.filter((scope) => scopeSubjects[scope] === subject)
}))

/** True for a scope that another chosen scope includes: `read:market` includes Korea and the US. */
export const isIncluded = (scope: Scope, selected: ReadonlyArray<Scope>): boolean =>
  (scope === "read:korea" || scope === "read:us") && selected.includes("read:market")

/** The chosen scopes without those that others include. */
export const minimalScopes = (selected: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  scopes.filter((scope) => selected.includes(scope) && !isIncluded(scope, selected))
