import { Predicate, type Schema } from "effect"
import { languages, say } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { ToolNote } from "../conversation.ts"
import { sameArguments } from "../writeIntent/permits.ts"
import type { WriteProposal } from "../writes.ts"
import { readArguments } from "./asked.ts"
import { plainWords } from "./plainWords.ts"
import type { DoneStep } from "./steps.ts"

/** The name of the call that proposes a write. It is not a tool; only models know it. */
export const proposeWrite = "propose_write"

/** The maximum length of a proposal. Users would not read a longer one before they accept it. */
export const longestProposal = 600
export const mostProposals = 3

/** Whether two calls would do the same. */
export const isSame = (a: WriteProposal, b: WriteProposal): boolean =>
  a.tool === b.tool && sameArguments(a.arguments, b.arguments)

/**
 * Returns the proposal of a stored call: the call itself, or the argument of `propose_write`. Null if the call proposed
 * nothing.
 */
export const proposalIn = (name: string, proposed: Schema.Json | undefined): WriteProposal | null => {
  if (proposed === undefined) return null
  if (name !== proposeWrite) return { tool: name, arguments: proposed }
  // The value is JSON, so `arguments` is JSON too.
  const given = proposed as { readonly tool?: Schema.Json; readonly arguments?: Schema.Json } | null
  return Predicate.isReadonlyObject(given) && typeof given.tool === "string" && given.arguments !== undefined
    ? { tool: given.tool, arguments: given.arguments }
    : null
}

/** Formats a call on one line, as it would be made. */
const written = ({ arguments: args, tool }: WriteProposal): string => `${tool} ${JSON.stringify(args)}`

/**
 * Characters that are invisible or shown elsewhere: marks, unusual blanks, and letters that change the writing
 * direction.
 */
const unseen =
  /[\p{Default_Ignorable_Code_Point}\p{Co}\p{Cs}\p{Cn}\u007f-\u009f\u2028-\u202e\u2066-\u2069\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]|(?! )\p{Zs}/u

/** Rows of blanks, which hide what follows, and stacked marks, which cover their neighbours. */
const covering = /\u2800| {3}|\p{M}{3}/u

/** Whether a reader sees the whole proposal: it is short, hides nothing, and does not end the code span around it. */
export const isPlain = (proposal: WriteProposal): boolean => {
  const text = written(proposal)
  return text.length <= longestProposal && !text.includes("`") && text === text.normalize("NFC") &&
    !unseen.test(text) &&
    !covering.test(text)
}

/**
 * Returns the writes that an answer proposes, so that the user can accept them with a yes. These are the arguments of
 * `propose_write`. If there are none, they are the calls that were rejected because the user had not requested them.
 *
 * A write that was made anyway is not proposed. A rejected call is not proposed if its tool wrote, in this answer or in
 * the one that it replaces. Returns no proposals if there are too many, because users do not read long lists.
 */
export const proposalsOf = (
  done: ReadonlyArray<DoneStep>,
  carried: ReadonlyArray<ToolNote>
): ReadonlyArray<WriteProposal> => {
  const calls = done.flatMap(({ calls, results }) =>
    calls.flatMap((call) => {
      const result = results.get(call.callId)
      return result === undefined ? [] : [{ call, result }]
    })
  )
  const wrote = calls.flatMap(({ call, result }) =>
    result.wrote === true ? [{ tool: result.name, arguments: readArguments(call.arguments) ?? null }] : []
  )
  const hasWritten = new Set([...carried.map(({ name }) => name), ...wrote.map(({ tool }) => tool)])
  const isExplicit = calls.some(({ result }) => result.name === proposeWrite && result.proposed !== undefined)
  const proposals: Array<WriteProposal> = []
  for (const { result: { name, proposed } } of calls) {
    const proposal = (name === proposeWrite) === isExplicit ? proposalIn(name, proposed) : null
    if (proposal === null || [...proposals, ...wrote].some((one) => isSame(one, proposal))) continue
    if ((isExplicit || !hasWritten.has(name)) && isPlain(proposal)) proposals.push(proposal)
  }
  return proposals.length > mostProposals ? [] : proposals
}

/**
 * Returns the text about proposals at the end of an answer: each in plain words and as the exact call. "" without
 * proposals.
 */
export const proposalText = (proposals: ReadonlyArray<WriteProposal>, lang: Language): string => {
  if (proposals.length === 0) return ""
  const list = proposals.map((proposal, i) =>
    `${i + 1}. ${plainWords(proposal.tool, proposal.arguments, lang)} — \`${written(proposal)}\``
  ).join("\n")
  const key = proposals.length === 1 ? "answer_proposal" : "answer_proposals"
  return `\n\n${say({ key, params: { list } }, lang)}`
}

/**
 * Normalises a text to what a reader sees: without emphasis and invisible characters, and with uniform blanks and
 * letters.
 */
const asRead = (text: string): string =>
  text.normalize("NFKC").replace(/[\p{Default_Ignorable_Code_Point}*_~\\]/gu, "").replace(/\s+/g, " ")

/** The beginnings of the text about proposals, in all languages. */
const beginnings = languages.flatMap((lang) =>
  (["answer_proposal", "answer_proposals"] as const).map((key) =>
    asRead(say({ key, params: { list: "" } }, lang)).slice(0, 20)
  )
)

/**
 * Whether a code fence may be left open, so that the text after it becomes code. Within lists, quotations and indented
 * text, a fence depends on everything around it, so it counts as possibly open.
 */
const mayBeFenced = (text: string): boolean => {
  let open: string | null = null
  for (const line of text.split(/\r\n?|\n/)) {
    const [, before = "", fence, rest = ""] = /^([\s>*+\d.)-]*)(`{3,}|~{3,})(.*)$/s.exec(line) ?? []
    if (fence === undefined) continue
    if (!/^ {0,3}$/.test(before)) return true
    if (open !== null) {
      if (fence.startsWith(open) && /^[ \t]*$/.test(rest)) open = null
    } else if (fence.startsWith("~") || !rest.includes("`")) open = fence
  }
  return open !== null
}

/** HTML markup, character references and control characters. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const markup = /<[a-z!?/]|&(?!(?:amp|lt|gt|nbsp);)#?\w+;|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/i

/**
 * Whether an answer contains something that could hide the text after it, or look like it: markup, an open fence,
 * control characters, or another list of proposals.
 */
export const couldHide = (text: string): boolean => {
  const read = asRead(text)
  return markup.test(text) || mayBeFenced(text) || beginnings.some((beginning) => read.includes(beginning))
}
