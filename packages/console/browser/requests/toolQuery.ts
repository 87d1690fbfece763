import type { Client, ToolAnswer } from "@tapeline/client"

/** A tool call whose result a part of a page shows. Each call is charged. */
export interface ToolQuery<Data = unknown> {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** How long the result counts as fresh, in ms. A part that is opened again within this time sends no request. */
  readonly freshMs: number
  readonly run: (client: Client, options: { readonly timeout_ms: number }) => Promise<ToolAnswer<string, Data>>
}

type Tools = Client["tools"]

/** The type of a tool's result. */
export type DataOf<Name extends keyof Tools> = Awaited<ReturnType<Tools[Name]>>["data"]

/** The price of a call in credits, by tool name. A tool that cannot be called has no entry. */
export type Prices = ReadonlyMap<string, number>

/** The cache key of a call's result. */
export const queryKeyOf = (
  { args, tool }: Pick<ToolQuery, "tool" | "args">
): ReadonlyArray<unknown> => ["tool", tool, args]

/** Removes repeated calls: several parts of a page may show the same one. */
const distinctQueries = (queries: ReadonlyArray<ToolQuery>): ReadonlyArray<ToolQuery> => [
  ...new Map(queries.map((query) => [JSON.stringify(queryKeyOf(query)), query])).values()
]

/** The credits of these calls, counting each distinct call once. Calls for which `isCached` returns true are free. */
export const totalCost = (
  queries: ReadonlyArray<ToolQuery>,
  prices: Prices,
  isCached: (query: ToolQuery) => boolean = () => false
): number =>
  distinctQueries(queries).filter((query) => !isCached(query)).reduce(
    (sum, { tool }) => sum + (prices.get(tool) ?? 0),
    0
  )

/** True if each tool of these calls can be called. */
export const canCallAll = (queries: ReadonlyArray<ToolQuery>, prices: Prices): boolean =>
  queries.every(({ tool }) => prices.has(tool))

/** The credits per hour if a refresh of this price runs every `everyMs`. */
export const creditsPerHour = (credits: number, everyMs: number): number => credits * Math.round(3_600_000 / everyMs)
