import type { Ask } from "./ask.ts"

/** The price of a call in credits, by tool name. A tool that cannot be called has no entry. */
export type Prices = ReadonlyMap<string, number>

/** The cache key of a call's result. */
export const keyOf = ({ args, tool }: Pick<Ask, "tool" | "args">): ReadonlyArray<unknown> => ["tool", tool, args]

/** Removes repeated calls: several parts of a page may show the same one. */
const distinct = (asks: ReadonlyArray<Ask>): ReadonlyArray<Ask> => [
  ...new Map(asks.map((ask) => [JSON.stringify(keyOf(ask)), ask])).values()
]

/** The credits of these calls, counting each distinct call once. Calls for which `isHeld` returns true are free. */
export const costOf = (
  asks: ReadonlyArray<Ask>,
  prices: Prices,
  isHeld: (ask: Ask) => boolean = () => false
): number => distinct(asks).filter((ask) => !isHeld(ask)).reduce((sum, { tool }) => sum + (prices.get(tool) ?? 0), 0)

/** True if each tool of these calls can be called. */
export const areOpen = (asks: ReadonlyArray<Ask>, prices: Prices): boolean => asks.every(({ tool }) => prices.has(tool))

/** The credits per hour if a refresh of this price runs every `everyMs`. */
export const hourly = (credits: number, everyMs: number): number => credits * Math.round(3_600_000 / everyMs)
