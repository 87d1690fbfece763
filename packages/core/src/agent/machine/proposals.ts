import { Predicate, type Schema } from "effect"
import { formatMessage, languages } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { ToolNote } from "../conversation.ts"
import { sameArguments } from "../writeIntent/permits.ts"
import type { WriteProposal } from "../writeProposal.ts"
import { describeCall } from "./describeCall.ts"
import { parseArguments } from "./requestedCall.ts"
import type { FinishedStep } from "./steps.ts"

/** The name of the call with which a model proposes a write. No real tool may have the name `propose_write`. */
export const proposeWriteName = "propose_write"

/** The maximum length of a proposal in characters, beyond which users would accept a proposal without reading it. */
export const maxProposalLength = 600
export const maxProposals = 3

/** Returns whether two calls have equal tools and equal arguments. */
export const isSameCall = (a: WriteProposal, b: WriteProposal): boolean =>
  a.tool === b.tool && sameArguments(a.arguments, b.arguments)

/** Returns the proposal of a stored call, or null if the call proposed nothing. */
export const readProposal = (name: string, proposed: Schema.Json | undefined): WriteProposal | null => {
  if (proposed === undefined) return null
  if (name !== proposeWriteName) return { tool: name, arguments: proposed }
  // `proposed` is JSON, so `arguments` is JSON too.
  const value = proposed as { readonly tool?: Schema.Json; readonly arguments?: Schema.Json } | null
  return Predicate.isReadonlyObject(value) && typeof value.tool === "string" && value.arguments !== undefined
    ? { tool: value.tool, arguments: value.arguments }
    : null
}

const formatCall = ({ arguments: args, tool }: WriteProposal): string => `${tool} ${JSON.stringify(args)}`

/** Matches invisible or displaced characters: marks, unusual spaces, and letters that change the writing direction. */
const invisibleCharacters =
  /[\p{Default_Ignorable_Code_Point}\p{Co}\p{Cs}\p{Cn}\u007f-\u009f\u2028-\u202e\u2066-\u2069\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]|(?! )\p{Zs}/u

/**
 * Matches a Braille blank or three spaces, which can hide text, and three combining marks, which can cover other
 * characters.
 */
const coveringCharacters = /\u2800| {3}|\p{M}{3}/u

/** Returns whether a proposal is short, contains no hidden text, and cannot end its Markdown code span. */
export const isFullyVisible = (proposal: WriteProposal): boolean => {
  const text = formatCall(proposal)
  return text.length <= maxProposalLength && !text.includes("`") && text === text.normalize("NFC") &&
    !invisibleCharacters.test(text) &&
    !coveringCharacters.test(text)
}

/**
 * Returns the writes that an answer proposes with `propose_write`. Without a `propose_write` call, the answer's
 * rejected write calls count as proposals. The result omits writes that the answer has executed. A rejected call is
 * also omitted if this answer, or the answer that it replaces, made a write with the same tool. If there are more than
 * `maxProposals` proposals, the result is empty, because users do not read long lists.
 */
export const collectProposals = (
  finishedSteps: ReadonlyArray<FinishedStep>,
  replacedWrites: ReadonlyArray<ToolNote>
): ReadonlyArray<WriteProposal> => {
  const calls = finishedSteps.flatMap(({ calls, results }) =>
    calls.flatMap((call) => {
      const result = results.get(call.callId)
      return result === undefined ? [] : [{ call, result }]
    })
  )
  const madeWrites = calls.flatMap(({ call, result }) =>
    result.wrote === true ? [{ tool: result.name, arguments: parseArguments(call.arguments) ?? null }] : []
  )
  const writtenTools = new Set([...replacedWrites.map(({ name }) => name), ...madeWrites.map(({ tool }) => tool)])
  const isExplicit = calls.some(({ result }) => result.name === proposeWriteName && result.proposed !== undefined)
  const proposals: Array<WriteProposal> = []
  for (const { result: { name, proposed } } of calls) {
    const proposal = (name === proposeWriteName) === isExplicit ? readProposal(name, proposed) : null
    if (proposal === null || [...proposals, ...madeWrites].some((other) => isSameCall(other, proposal))) continue
    if ((isExplicit || !writtenTools.has(name)) && isFullyVisible(proposal)) proposals.push(proposal)
  }
  return proposals.length > maxProposals ? [] : proposals
}

/** Returns the text about proposals at the end of an answer, or "" without proposals. */
export const formatProposals = (proposals: ReadonlyArray<WriteProposal>, lang: Language): string => {
  if (proposals.length === 0) return ""
  const list = proposals.map((proposal, i) =>
    `${i + 1}. ${describeCall(proposal.tool, proposal.arguments, lang)} — \`${formatCall(proposal)}\``
  ).join("\n")
  const key = proposals.length === 1 ? "answer_proposal" : "answer_proposals"
  return `\n\n${formatMessage({ key, params: { list } }, lang)}`
}

/** Normalises a text to the visible text: removes emphasis and invisible characters, and unifies blanks and letters. */
const normalizeVisibleText = (text: string): string =>
  text.normalize("NFKC").replace(/[\p{Default_Ignorable_Code_Point}*_~\\]/gu, "").replace(/\s+/g, " ")

const proposalHeadings = languages.flatMap((lang) =>
  (["answer_proposal", "answer_proposals"] as const).map((key) =>
    normalizeVisibleText(formatMessage({ key, params: { list: "" } }, lang)).slice(0, 20)
  )
)

/**
 * Returns whether a code fence may be open at the end of the text. Text after an open code fence would be shown as
 * code.
 */
const mayHaveOpenFence = (text: string): boolean => {
  let openFence: string | null = null
  for (const line of text.split(/\r\n?|\n/)) {
    const [, before = "", fence, rest = ""] = /^([\s>*+\d.)-]*)(`{3,}|~{3,})(.*)$/s.exec(line) ?? []
    if (fence === undefined) continue
    if (!/^ {0,3}$/.test(before)) return true
    if (openFence !== null) {
      if (fence.startsWith(openFence) && /^[ \t]*$/.test(rest)) openFence = null
    } else if (fence.startsWith("~") || !rest.includes("`")) openFence = fence
  }
  return openFence !== null
}

/** Matches HTML markup, character references and control characters. */
// oxlint-disable-next-line no-control-regex -- the pattern must match control characters
const hidingMarkup = /<[a-z!?/]|&(?!(?:amp|lt|gt|nbsp);)#?\w+;|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/i

/** Returns whether an answer contains markup, an open code fence or a list that could hide or imitate proposals. */
export const mayHideText = (text: string): boolean => {
  const visibleText = normalizeVisibleText(text)
  return hidingMarkup.test(text) || mayHaveOpenFence(text) ||
    proposalHeadings.some((beginning) => visibleText.includes(beginning))
}
