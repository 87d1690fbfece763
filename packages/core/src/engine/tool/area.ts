import type { AlternativeScopes, Scope } from "../access/scope.ts"

/** The subject areas of tools. */
export const areas = [
  "crypto",
  "derivatives",
  "signals",
  "options",
  "onchain",
  "social",
  "news",
  "korea",
  "us",
  "macro",
  "backtest",
  "code",
  "chart",
  "journal",
  "tasks"
] as const
export type Area = (typeof areas)[number]

/**
 * Returns the scopes that permit calls of a tool. For a tool of the US or Korean market, `read:us` or `read:korea` also
 * suffices.
 */
export const acceptedScopes = (scope: Scope, area: Area): AlternativeScopes =>
  scope !== "read:market"
    ? [scope]
    : area === "korea"
    ? [scope, "read:korea"]
    : area === "us"
    ? [scope, "read:us"]
    : [scope]
