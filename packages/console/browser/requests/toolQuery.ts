import type { Client, ToolAnswer } from "@tapeline/client"

/** A tool call whose result a page shows, and which the service charges. */
export interface ToolQuery<Data = unknown> {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** The time in ms for which the result of a tool call counts as fresh and can be shown without a request. */
  readonly freshMs: number
  readonly run: (client: Client, options: { readonly timeout_ms: number }) => Promise<ToolAnswer<string, Data>>
}

type Tools = Client["tools"]

export type DataOf<Name extends keyof Tools> = Awaited<ReturnType<Tools[Name]>>["data"]

/** The price of each tool's call in credits, without tools that the user cannot call. */
export type Prices = ReadonlyMap<string, number>

export const queryKeyOf = (
  { args, tool }: Pick<ToolQuery, "tool" | "args">
): ReadonlyArray<unknown> => ["tool", tool, args]

/** Removes repeated tool calls. Several sections of a page may show the result of the same call. */
const distinctQueries = (queries: ReadonlyArray<ToolQuery>): ReadonlyArray<ToolQuery> => [
  ...new Map(queries.map((query) => [JSON.stringify(queryKeyOf(query)), query])).values()
]

/** Returns the total price of distinct tool calls in credits, without the calls for which `isCached` returns true. */
export const totalCost = (
  queries: ReadonlyArray<ToolQuery>,
  prices: Prices,
  isCached: (query: ToolQuery) => boolean = () => false
): number =>
  distinctQueries(queries).filter((query) => !isCached(query)).reduce(
    (sum, { tool }) => sum + (prices.get(tool) ?? 0),
    0
  )

export const canCallAll = (queries: ReadonlyArray<ToolQuery>, prices: Prices): boolean =>
  queries.every(({ tool }) => prices.has(tool))

/** Returns the credits per hour if a refresh for `credits` runs every `everyMs`. */
export const creditsPerHour = (credits: number, everyMs: number): number => credits * Math.round(3_600_000 / everyMs)
