import type { Catalogue } from "@tapeline/client"

export type Tool = Catalogue["tools"][number]

const splitWords = (text: string): ReadonlyArray<string> => text.toLowerCase().split(/\s+/).filter(Boolean)

/** Returns how well a tool matches all search words, or 0 if any word does not match. */
const scoreMatch = ({ area, name, summary }: Tool, words: ReadonlyArray<string>): number => {
  const lowerSummary = summary.toLowerCase()
  let sum = 0
  for (const word of words) {
    const points = name.includes(word) ? 3 : area.startsWith(word) ? 2 : lowerSummary.includes(word) ? 1 : 0
    if (points === 0) return 0
    sum += points
  }
  return sum
}

/**
 * Returns the tools of an area, or of all areas, that match every word of a search text, with the best matches first.
 */
export const findTools = (
  tools: ReadonlyArray<Tool>,
  { area, text }: { readonly text: string; readonly area: string | undefined }
): ReadonlyArray<Tool> => {
  const words = splitWords(text)
  return tools
    .filter((tool) => area === undefined || tool.area === area)
    .map((tool) => ({ tool, score: words.length === 0 ? 1 : scoreMatch(tool, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool)
}
