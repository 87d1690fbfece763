import type { Ask } from "./ask.ts"

/** Credits of a call, by the name of its tool; undefined of a tool that may not be called. */
export type Prices = ReadonlyMap<string, number>

/** What names the answer of an ask among those that are kept. */
export const keyOf = ({ args, tool }: Pick<Ask, "tool" | "args">): ReadonlyArray<unknown> => ["tool", tool, args]

/** Each ask once, however many parts of the page show it. */
const distinct = (asks: ReadonlyArray<Ask>): ReadonlyArray<Ask> => [
  ...new Map(asks.map((ask) => [JSON.stringify(keyOf(ask)), ask])).values()
]

/** Credits that these asks take, each once; of what `isHeld` says, none. */
export const costOf = (
  asks: ReadonlyArray<Ask>,
  prices: Prices,
  isHeld: (ask: Ask) => boolean = () => false
): number => distinct(asks).filter((ask) => !isHeld(ask)).reduce((sum, { tool }) => sum + (prices.get(tool) ?? 0), 0)

/** Whether every tool of these asks may be called. */
export const areOpen = (asks: ReadonlyArray<Ask>, prices: Prices): boolean => asks.every(({ tool }) => prices.has(tool))

/** Credits an hour of asking again every `everyMs`. */
export const hourly = (credits: number, everyMs: number): number => credits * Math.round(3_600_000 / everyMs)
