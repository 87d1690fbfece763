/** Constructs that reach beyond blank lines: definitions of links and notes, and HTML with its own end marker. */
const farReaching = /\]:|<(?:!|\?|script|pre|style|textarea)|\r/i

const fence = /^([ \t]*)(`{3,}|~{3,})(.*)$/

/** A line that may continue the block before a blank line. */
const goesOn = /^(?:\s|[-*+]|\d+[.)]|$)/

type Inside = "text" | "unclear" | { readonly fence: string }

const after = (inside: Inside, line: string): Inside => {
  if (inside === "unclear") return inside
  const [, indent, marks, rest] = fence.exec(line) ?? []
  if (inside !== "text") {
    const isEnd = marks !== undefined && marks.startsWith(inside.fence) && rest!.trim() === "" && indent!.length < 4
    return isEnd ? "text" : inside
  }
  if (marks === undefined || (marks.startsWith("`") && rest!.includes("`"))) return inside
  // A code block inside a list ends with the list, even if its closing fence is missing.
  return indent === "" ? { fence: marks } : "unclear"
}

/**
 * Splits a Markdown text into blocks that have the same meaning separately and together. While a text grows, only its
 * last block must be parsed again. Blocks that are not clearly separate stay together.
 */
export const blocksOf = (text: string): ReadonlyArray<string> => {
  if (farReaching.test(text)) return [text]
  const blocks: Array<Array<string>> = [[]]
  let inside: Inside = "text"
  let isBlank = false
  for (const line of text.split("\n")) {
    if (inside === "text" && isBlank && !goesOn.test(line)) blocks.push([])
    blocks.at(-1)!.push(line)
    inside = after(inside, line)
    isBlank = /^[ \t]*$/.test(line)
  }
  return blocks.map((lines) => lines.join("\n"))
}
