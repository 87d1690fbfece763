import type { Scope } from "@tapeline/core/specifications"

export type About = "market" | "personal" | "analyst"

/** The subject of each scope, in the order in which scopes are offered. */
const abouts: Readonly<Record<Scope, About>> = {
  "read:market": "market",
  "read:korea": "market",
  "read:us": "market",
  "read:personal": "personal",
  "write:personal": "personal",
  "agent:chat": "analyst"
}

// In the order above.
export const scopes = Object.keys(abouts) as ReadonlyArray<Scope>

/** The scopes by subject. */
export const scopeGroups = (["market", "personal", "analyst"] as const).map((about) => ({
  about,
  scopes: scopes.filter((scope) => abouts[scope] === about)
}))

/** True for a scope that another chosen scope includes: `read:market` includes Korea and the US. */
export const isWithin = (scope: Scope, chosen: ReadonlyArray<Scope>): boolean =>
  (scope === "read:korea" || scope === "read:us") && chosen.includes("read:market")

/** The chosen scopes without those that others include. */
export const needed = (chosen: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  scopes.filter((scope) => chosen.includes(scope) && !isWithin(scope, chosen))
