import type { Scope } from "@tapeline/core/specifications"

export type About = "market" | "personal" | "analyst"

/** What each scope is about, in the order in which they are offered. */
const abouts: Readonly<Record<Scope, About>> = {
  "read:market": "market",
  "read:korea": "market",
  "read:us": "market",
  "read:personal": "personal",
  "write:personal": "personal",
  "agent:chat": "analyst"
}

// As they stand above.
export const scopes = Object.keys(abouts) as ReadonlyArray<Scope>

/** The scopes side by side with what they are about. */
export const scopeGroups = (["market", "personal", "analyst"] as const).map((about) => ({
  about,
  scopes: scopes.filter((scope) => abouts[scope] === about)
}))

/** True for a scope that another of these opens besides: the whole market has its countries in it. */
export const isWithin = (scope: Scope, chosen: ReadonlyArray<Scope>): boolean =>
  (scope === "read:korea" || scope === "read:us") && chosen.includes("read:market")

/** The scopes that a choice needs: none that another of it opens besides. */
export const needed = (chosen: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  scopes.filter((scope) => chosen.includes(scope) && !isWithin(scope, chosen))
