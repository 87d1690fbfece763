import type { Scope, ScopesAny } from "../access/scope.ts"

/** What a tool is about. */
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

export const isArea = (text: string): text is Area => areas.some((area) => area === text)

/** Every scope that opens a tool: the one it requires, and for market tools of a country that country's own. */
export const scopesAny = (scope: Scope, area: Area): ScopesAny =>
  scope !== "read:market"
    ? [scope]
    : area === "korea"
    ? [scope, "read:korea"]
    : area === "us"
    ? [scope, "read:us"]
    : [scope]
