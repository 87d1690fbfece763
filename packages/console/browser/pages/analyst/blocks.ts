/** What reaches beyond blank lines: definitions of links and notes, and HTML that ends by a word of its own. */
const farReaching = /\]:|<(?:!|\?|script|pre|style|textarea)|\r/i

const fence = /^([ \t]*)(`{3,}|~{3,})(.*)$/

/** A line that begins nothing of its own: it may go on with what stands before the blank line. */
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
  // Code within a list ends with the list, also where its own end is missing.
  return indent === "" ? { fence: marks } : "unclear"
}

/**
 * The parts of a Markdown text that mean the same alone as together, so that of a text that grows the last one alone is
 * to be parsed anew. What is not clearly apart stays together.
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
