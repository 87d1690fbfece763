import type { CallToolResult, Tool } from "@modelcontextprotocol/server"
import { describeMissingTool } from "./messages.ts"
import { makeErrorResult } from "./results.ts"
import type { Catalogue, CatalogueTool } from "./service.ts"
import { shortenSchema } from "./shortenSchema.ts"
import { describeTerms, listEntries } from "./toolList.ts"

/** The names of the three meta tools, which replace the full tool list for clients that cannot handle a long list. */
export const metaNames = { find: "find_tools", describe: "describe_tools", call: "call_tool" } as const

/** The maximum number of tools in a search result. */
const maxFoundTools = 20
const maxDescribedTools = 10

const listAreas = (entries: ReadonlyArray<CatalogueTool>): string =>
  [...new Set(entries.map(({ area }) => area))].join(", ")

/** Returns the three meta tools. The description of the search tool lists the areas that the caller may use. */
export const makeMetaTools = (catalogue: Catalogue): Array<Tool> => {
  const entries = listEntries(catalogue)
  const areas = listAreas(entries)
  return [
    {
      name: metaNames.find,
      title: "Find tools",
      description:
        `Finds tools for market data and analysis by words: ${entries.length} tools in the areas ${areas}. ` +
        "Free. Without a query it returns all names.",
      inputSchema: {
        type: "object",
        properties: {
          query: { type: "string", description: "Words, such as: funding history" },
          area: { type: "string" }
        }
      },
      annotations: { readOnlyHint: true }
    },
    {
      name: metaNames.describe,
      title: "Describe tools",
      description: "Arguments, result, price and scope of the named tools. Free.",
      inputSchema: {
        type: "object",
        properties: {
          names: { type: "array", items: { type: "string" }, minItems: 1, maxItems: maxDescribedTools },
          results: { type: "boolean", description: "Also return the schemas of results, which are long" }
        },
        required: ["names"]
      },
      annotations: { readOnlyHint: true }
    },
    {
      name: metaNames.call,
      title: "Call a tool",
      description: "Calls a tool by name, with the described arguments. Costs the price of that tool.",
      inputSchema: {
        type: "object",
        properties: { name: { type: "string" }, arguments: { type: "object" } },
        required: ["name"]
      },
      // The hints state that this tool may write, because it can call any tool.
      annotations: { readOnlyHint: false, destructiveHint: true }
    }
  ]
}

const makeResult = (json: Record<string, unknown>): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(json) }],
  structuredContent: json
})

/**
 * Rates how well a tool matches the search words. A word in the tool's name counts more than a word in the area or the
 * summary.
 */
const rateMatch = ({ area, name, summary }: CatalogueTool, words: ReadonlyArray<string>): number => {
  const text = summary.toLowerCase()
  const parts = name.split("_")
  return words.reduce((sum, word) => {
    const stem = word.length > 3 ? word.replace(/s$/, "") : word
    if (parts.some((part) => part.startsWith(stem))) return sum + 3
    return sum + (area.startsWith(stem) ? 2 : text.includes(stem) ? 1 : 0)
  }, 0)
}

/** Finds tools by search words, best matches first, or returns the names of all tools without search words. */
export const findTools = (catalogue: Catalogue, query: unknown, area: unknown): CallToolResult => {
  const allEntries = listEntries(catalogue)
  const entries = allEntries.filter((entry) => typeof area !== "string" || area === "" || entry.area === area)
  if (entries.length === 0 && allEntries.length > 0) {
    return makeResult({ tools: [], note: `Unknown area; known areas: ${listAreas(allEntries)}.` })
  }
  const words = typeof query === "string" ? query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [] : []
  if (words.length === 0) return makeResult({ tools: entries.map(({ name }) => name) })
  const matches = entries.map((entry) => ({ entry, fit: rateMatch(entry, words) })).filter(({ fit }) => fit > 0)
  const bestMatches = matches.sort((a, b) => b.fit - a.fit).slice(0, maxFoundTools)
  const tools = bestMatches.map(({ entry: { credits, name, summary } }) => ({ name, summary, credits }))
  return makeResult(
    tools.length === 0 ? { tools, note: "No matches: try other words, or omit the query for all names." } : { tools }
  )
}

export const describeTools = (catalogue: Catalogue, names: unknown, results: unknown): CallToolResult => {
  const requestedNames = Array.isArray(names) ? names.filter((name): name is string => typeof name === "string") : []
  if (requestedNames.length === 0 || requestedNames.length > maxDescribedTools) {
    return makeErrorResult(`Invalid arguments. names: expected a list of 1 to ${maxDescribedTools} tool names.`)
  }
  const entryByName = new Map(listEntries(catalogue).map((entry) => [entry.name, entry]))
  const unknownNames = requestedNames.filter((name) => !entryByName.has(name))
  if (unknownNames.length > 0) {
    return makeErrorResult(
      `${describeMissingTool(...unknownNames)} for this key. Find tools by words: ${metaNames.find}.`
    )
  }
  const tools = requestedNames.map((name) => {
    const entry = entryByName.get(name)!
    const { parameters, result, summary } = entry
    return {
      name,
      summary,
      price: describeTerms(entry),
      arguments: shortenSchema(parameters),
      ...(results === true ? { result } : {})
    }
  })
  return makeResult({ tools })
}
