import { type CallExpression, type Expression, parseSync, Visitor } from "oxc-parser"

/** The kinds of text that `npm run check:language` reads. Messages are texts in code, such as errors and logs. */
export type TextKind = "documents" | "decisions" | "comments" | "messages" | "test names"

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

/**
 * Matches a sentence that begins with a word such as "what" or "who" instead of a subject. Only a question may begin
 * with "what" or "who".
 */
const startsWithoutSubject = /^(what|who|whoever|whatever|of|whose|so (many|much|long|often|late|far))\b/i

export const isAvoided = (text: string): boolean =>
  avoidedPatterns.some((pattern) => pattern.test(text)) || (startsWithoutSubject.test(text) && !text.includes("?"))

/** The minimum number of words of a sentence, because a shorter text is a label. */
const minWords = 4

const withoutCode = (text: string): string => text.replaceAll(/`[^`]*`/g, "X")

const documentLines = (file: string, lines: ReadonlyArray<string>): ReadonlyArray<TextLine> => {
  const kind = file.startsWith("docs/decisions/") ? "decisions" : "documents"
  let isCode = false
  return lines.flatMap((source, index) => {
    const text = source.trim()
    if (text.startsWith("```")) isCode = !isCode
    // A quotation contains output of the program, so it is not checked.
    return isCode || text.startsWith("```") || text.startsWith(">")
      ? []
      : [{ kind, line: index + 1, text: withoutCode(text) }]
  })
}

const declaresTest = /^(it|test|describe)([A-Z]\w*)?$/

const isTestDeclaration = ({ callee }: CallExpression): boolean => {
  let declared = callee
  while (declared.type !== "Identifier") {
    if (declared.type === "MemberExpression") declared = declared.object
    else if (declared.type === "CallExpression") declared = declared.callee
    else return false
  }
  return declaresTest.test(declared.name)
}

/**
 * Returns whether the language check reads the messages in a file. The check omits files with texts that are stored,
 * hashed, parsed, or written for a language model.
 */
const hasMessages = (file: string): boolean =>
  /^packages\/[^/]+\/(src|browser)\//.test(file) &&
  !/^packages\/(bench|document|evaluation|market-sim|offline-analyst|scripts|soak|testing|wire)\//.test(file) &&
  !/\/(migrations|prompts|writeIntent)\//.test(file)

/** Returns the text of a literal, a template or their concatenation, with X for inserted values. */
const readText = (node: Expression, read: Set<Expression>): string | undefined => {
  if (node.type === "Literal" && typeof node.value === "string") {
    read.add(node)
    return node.value
  }
  if (node.type === "TemplateLiteral") {
    read.add(node)
    return node.quasis.map(({ value }) => value.cooked).join("X")
  }
  if (node.type !== "BinaryExpression" || node.operator !== "+") return undefined
  read.add(node)
  const [left, right] = [readText(node.left, read), readText(node.right, read)]
  return left === undefined && right === undefined ? undefined : `${left ?? "X"}${right ?? "X"}`
}

const literalLines = (file: string, source: string): ReadonlyArray<TextLine> => {
  const texts: Array<TextLine> = []
  const read = new Set<Expression>()
  const add = (kind: TextKind, node: Expression) => {
    const text = read.has(node) ? undefined : readText(node, read)
    if (text === undefined || /[\u0400-\u04ff\uac00-\ud7af]|\$\d|::/.test(text)) return
    const line = source.slice(0, node.start).split("\n").length
    texts.push({ kind, line, text: withoutCode(text.replaceAll(/\s+/g, " ")) })
  }
  const addMessage = (node: Expression) => {
    if (hasMessages(file)) add("messages", node)
  }
  new Visitor({
    CallExpression: (call) => {
      const name = call.arguments[0]
      if (isTestDeclaration(call) && name !== undefined && name.type !== "SpreadElement") add("test names", name)
    },
    // The template of a tagged template is a query, not a message.
    TaggedTemplateExpression: ({ quasi }) => {
      read.add(quasi)
    },
    BinaryExpression: addMessage,
    Literal: addMessage,
    TemplateLiteral: addMessage
  }).visit(parseSync(file, source).program)
  return texts
}

const commentLines = (lines: ReadonlyArray<string>): ReadonlyArray<TextLine> =>
  lines.flatMap((source, index): ReadonlyArray<TextLine> => {
    const text = source.trim()
    return /^(\/\/|\/?\*)/.test(text)
      ? [{ kind: "comments", line: index + 1, text: withoutCode(text.replace(/^(\/\/|\/?\*+)\s?/, "")) }]
      : []
  })

export const textLines = (file: string, source: string): ReadonlyArray<TextLine> => {
  const lines = source.split("\n")
  return (file.endsWith(".md") ? documentLines(file, lines) : [...commentLines(lines), ...literalLines(file, source)])
    .filter(({ text }) => text.split(" ").length >= minWords)
}
