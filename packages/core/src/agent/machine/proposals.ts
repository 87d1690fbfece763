import { Predicate, type Schema } from "effect"
import { languages, say } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { ToolNote } from "../conversation.ts"
import { sameArguments } from "../writeIntent/permits.ts"
import type { WriteProposal } from "../writes.ts"
import { readArguments } from "./asked.ts"
import { plainWords } from "./plainWords.ts"
import type { DoneStep } from "./steps.ts"

/** What a model calls to propose a write: no tool, and known to nobody but models. */
export const proposeWrite = "propose_write"

/** More than this nobody reads before saying yes. */
export const longestProposal = 600
export const mostProposals = 3

/** Whether two calls would do the same. */
export const isSame = (a: WriteProposal, b: WriteProposal): boolean =>
  a.tool === b.tool && sameArguments(a.arguments, b.arguments)

/** What a call that is kept had proposed: itself, or what `propose_write` was given. Null when it proposed nothing. */
export const proposalIn = (name: string, proposed: Schema.Json | undefined): WriteProposal | null => {
  if (proposed === undefined) return null
  if (name !== proposeWrite) return { tool: name, arguments: proposed }
  // JSON, of which `arguments` is JSON too.
  const given = proposed as { readonly tool?: Schema.Json; readonly arguments?: Schema.Json } | null
  return Predicate.isReadonlyObject(given) && typeof given.tool === "string" && given.arguments !== undefined
    ? { tool: given.tool, arguments: given.arguments }
    : null
}

/** A call as it would be made, on one line. */
const written = ({ arguments: args, tool }: WriteProposal): string => `${tool} ${JSON.stringify(args)}`

/** What is not seen, or seen elsewhere than it stands: marks, blanks that are none, letters that turn lines around. */
const unseen =
  /[\p{Default_Ignorable_Code_Point}\p{Co}\p{Cs}\p{Cn}\u007f-\u009f\u2028-\u202e\u2066-\u2069\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]|(?! )\p{Zs}/u

/** Blanks in a row, of which readers see one or are led away from what follows, and marks that cover what is beside. */
const covering = /\u2800| {3}|\p{M}{3}/u

/** Whether a reader sees all of it: it is short, nothing is hidden in it, and nothing ends the code it stands in. */
export const isPlain = (proposal: WriteProposal): boolean => {
  const text = written(proposal)
  return text.length <= longestProposal && !text.includes("`") && text === text.normalize("NFC") &&
    !unseen.test(text) &&
    !covering.test(text)
}

/**
 * The writes that an answer proposes, so that a yes can accept them: what was given to `propose_write`; without any,
 * the calls that were refused because the user had not asked for them. What was written all the same is proposed no
 * more, and what was refused is not once its tool wrote, in this answer or in the one that it replaces. Too many are
 * none: nobody accepts what is not read.
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

/** What an answer says of its proposals at its end, in plain words and as each would be made; "" of none. */
export const proposalText = (proposals: ReadonlyArray<WriteProposal>, lang: Language): string => {
  if (proposals.length === 0) return ""
  const list = proposals.map((proposal, i) =>
    `${i + 1}. ${plainWords(proposal.tool, proposal.arguments, lang)} — \`${written(proposal)}\``
  ).join("\n")
  const key = proposals.length === 1 ? "answer_proposal" : "answer_proposals"
  return `\n\n${say({ key, params: { list } }, lang)}`
}

/** A text as it reads: without emphasis, what is not seen, and the ways in which blanks and letters differ. */
const asRead = (text: string): string =>
  text.normalize("NFKC").replace(/[\p{Default_Ignorable_Code_Point}*_~\\]/gu, "").replace(/\s+/g, " ")

/** How what is said of proposals begins, in every language. */
const beginnings = languages.flatMap((lang) =>
  (["answer_proposal", "answer_proposals"] as const).map((key) =>
    asRead(say({ key, params: { list: "" } }, lang)).slice(0, 20)
  )
)

/**
 * Whether a fence may be left open, in which whatever follows is code. Within lists and quotations, and set in, it
 * depends on all that stands around it what a fence opens or closes: such a one may.
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

/** Markup, a letter that is written as a number or a name, and control characters. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const markup = /<[a-z!?/]|&(?!(?:amp|lt|gt|nbsp);)#?\w+;|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/i

/**
 * Whether something in an answer could hide what is said after it, or pass for it: markup, a fence that may not be
 * closed, control characters, or another list of proposals.
 */
export const couldHide = (text: string): boolean => {
  const read = asRead(text)
  return markup.test(text) || mayBeFenced(text) || beginnings.some((beginning) => read.includes(beginning))
}
