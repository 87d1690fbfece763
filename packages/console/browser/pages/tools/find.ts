import type { Catalogue } from "@tapeline/client"

export type Tool = Catalogue["tools"][number]

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().split(/\s+/).filter(Boolean)

/** How well a tool matches all words: the name counts more than the summary. 0 if a word does not match. */
const fit = ({ area, name, summary }: Tool, words: ReadonlyArray<string>): number => {
  const said = summary.toLowerCase()
  let sum = 0
  for (const word of words) {
    const found = name.includes(word) ? 3 : area.startsWith(word) ? 2 : said.includes(word) ? 1 : 0
    if (found === 0) return 0
    sum += found
  }
  return sum
}

/** The tools of an area, or of all areas, that match each word of a text: best first, then in catalogue order. */
export const findTools = (
  tools: ReadonlyArray<Tool>,
  { area, text }: { readonly text: string; readonly area: string | undefined }
): ReadonlyArray<Tool> => {
  const words = wordsOf(text)
  return tools
    .filter((tool) => area === undefined || tool.area === area)
    .map((tool) => ({ tool, fits: words.length === 0 ? 1 : fit(tool, words) }))
    .filter(({ fits }) => fits > 0)
    .sort((a, b) => b.fits - a.fits)
    .map(({ tool }) => tool)
}
