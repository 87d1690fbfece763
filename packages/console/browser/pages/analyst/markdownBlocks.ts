/** Matches Markdown that can span blank lines: definitions of links and footnotes, and HTML elements. */
const crossBlockSyntax = /\]:|<(?:!|\?|script|pre|style|textarea)|\r/i

const fencePattern = /^([ \t]*)(`{3,}|~{3,})(.*)$/

/** Matches a line that, after a blank line, may still belong to the preceding Markdown block. */
const continuation = /^(?:\s|[-*+]|\d+[.)]|$)/

type ParserState = "text" | "unclear" | { readonly fence: string }

const nextState = (state: ParserState, line: string): ParserState => {
  if (state === "unclear") return state
  const [, indent, fenceMarks, rest] = fencePattern.exec(line) ?? []
  if (state !== "text") {
    const isEnd = fenceMarks !== undefined && fenceMarks.startsWith(state.fence) && rest!.trim() === "" &&
      indent!.length < 4
    return isEnd ? "text" : state
  }
  if (fenceMarks === undefined || (fenceMarks.startsWith("`") && rest!.includes("`"))) return state
  // A code block in a list item ends with the list item, even if the code block has no closing fence.
  return indent === "" ? { fence: fenceMarks } : "unclear"
}

/**
 * Splits a Markdown text into blocks that can be parsed separately, so that only the last block of a growing text must
 * be parsed again.
 */
export const splitBlocks = (text: string): ReadonlyArray<string> => {
  if (crossBlockSyntax.test(text)) return [text]
  const blocks: Array<Array<string>> = [[]]
  let state: ParserState = "text"
  let isBlank = false
  for (const line of text.split("\n")) {
    if (state === "text" && isBlank && !continuation.test(line)) blocks.push([])
    blocks.at(-1)!.push(line)
    state = nextState(state, line)
    isBlank = /^[ \t]*$/.test(line)
  }
  return blocks.map((lines) => lines.join("\n"))
}
