/** The kinds of text that `npm run check:language` reads. */
export type TextKind = "documents" | "decisions" | "comments" | "test names"

export interface TextLine {
  readonly kind: TextKind
  readonly line: number
  readonly text: string
}

/** Matches constructions that plain technical English avoids: vague verbs, pronouns as subjects, and dated words. */
const avoidedPatterns = [
  /\b(tells?|told|telling)\b/i,
  /\b(who|whoever|what) (asks?|is asked|reads|comes|goes|waits|wants|calls|speaks|leads|knows|told|was|stands|pays|signs)\b/i,
  /\b(is|are|was|were|be) none\b|\bnobody\b|\banew\b|\bof late\b/i,
  /\b(stands?|stood) (in|behind|beside|for|at|where|there|as|on|still|by|of|open|here)\b/i,
  /\bbeside (it|that|them|this|which|what|the)\b|\bgoes by\b|\btaken for\b|\b(comes|come|came) (to|of)\b/i
]

/** Matches a sentence that begins with a relative word instead of its subject. Questions may begin with such a word. */
const startsWithoutSubject = /^(what|who|whoever|whatever|of|whose|so (many|much|long|often|late|far))\b/i

/** Returns whether a text contains a construction that the style of the repository avoids. */
export const isAvoided = (text: string): boolean =>
  avoidedPatterns.some((pattern) => pattern.test(text)) || (startsWithoutSubject.test(text) && !text.includes("?"))

/** The minimum number of words of a sentence. A shorter text is a label. */
const minWords = 4

const withoutCode = (text: string): string => text.replaceAll(/`[^`]*`/g, "X")

const documentLines = (file: string, lines: ReadonlyArray<string>): ReadonlyArray<TextLine> => {
  const kind = file.startsWith("docs/decisions/") ? "decisions" : "documents"
  let isCode = false
  return lines.flatMap((source, index) => {
    const text = source.trim()
    if (text.startsWith("```")) isCode = !isCode
    // A quotation shows the program's output.
    return isCode || text.startsWith("```") || text.startsWith(">")
      ? []
      : [{ kind, line: index + 1, text: withoutCode(text) }]
  })
}

const testNamePattern = /\b(?:it|test|describe)\w*(?:\.\w+)*\(\s*["'`](.+?)["'`],/

const sourceLines = (lines: ReadonlyArray<string>): ReadonlyArray<TextLine> =>
  lines.flatMap((source, index): ReadonlyArray<TextLine> => {
    const text = source.trim()
    if (/^(\/\/|\/?\*)/.test(text)) {
      return [{ kind: "comments", line: index + 1, text: withoutCode(text.replace(/^(\/\/|\/?\*+)\s?/, "")) }]
    }
    const name = testNamePattern.exec(text)?.[1]
    return name === undefined ? [] : [{ kind: "test names", line: index + 1, text: name }]
  })

/** Returns the lines of prose in a file of the repository. */
export const textLines = (file: string, source: string): ReadonlyArray<TextLine> => {
  const lines = source.split("\n")
  return (file.endsWith(".md") ? documentLines(file, lines) : sourceLines(lines))
    .filter(({ text }) => text.split(" ").length >= minWords)
}
