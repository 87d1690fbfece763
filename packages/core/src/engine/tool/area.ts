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
 * Returns the scopes that permit a tool: its required scope, and for a US or Korean market tool also `read:us` or
 * `read:korea`.
 */
export const acceptedScopes = (scope: Scope, area: Area): AlternativeScopes =>
  scope !== "read:market"
    ? [scope]
    : area === "korea"
    ? [scope, "read:korea"]
    : area === "us"
    ? [scope, "read:us"]
    : [scope]
