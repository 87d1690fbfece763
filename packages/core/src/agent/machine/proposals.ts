import { formatMessage } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { ShownProposal } from "../event.ts"
import { formatProposalId, maxProposals, type NewProposal, type ProposedCall } from "../proposal.ts"
import { type CallResult, type FinishedStep, makeFailedResult } from "./steps.ts"

/** The maximum length of a proposed call in characters, beyond which users would accept the call without reading it. */
export const maxProposalLength = 2_000

/** Matches invisible or displaced characters: marks, unusual spaces, and letters that change the writing direction. */
const invisibleCharacters =
  /[\p{Default_Ignorable_Code_Point}\p{Co}\p{Cs}\p{Cn}\u007f-\u009f\u2028-\u202e\u2066-\u2069\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]|(?! )\p{Zs}/u

/**
 * Matches a Braille blank or three spaces, which can hide text, and three combining marks, which can cover other
 * characters.
 */
const coveringCharacters = /\u2800| {3}|\p{M}{3}/u

/**
 * Returns whether a user can read a whole proposed call: the call is short, contains no hidden text, and cannot end a
 * Markdown code span of its summary.
 */
export const isFullyVisible = (proposal: ProposedCall): boolean => {
  const text = JSON.stringify(proposal.arguments)
  return text.length <= maxProposalLength && !text.includes("`") && text === text.normalize("NFC") &&
    !invisibleCharacters.test(text) &&
    !coveringCharacters.test(text)
}

/** Builds the result of a call that becomes a proposal. Nothing was written, so the result is not successful. */
export const makeProposedResult = (name: string, proposal: ProposedCall, lang: Language): CallResult => ({
  name,
  ok: false,
  text: JSON.stringify({ proposed: true, written: false, note: formatMessage({ key: "answer_proposed" }, lang) }),
  credits: 0,
  proposal
})

const isSameCall = (a: CallResult, b: CallResult): boolean =>
  a.name === b.name && JSON.stringify(a.proposal?.arguments) === JSON.stringify(b.proposal?.arguments)

/**
 * Rejects the proposals of a step that the answer has already made, and the proposals above the maximum number. Returns
 * all results of the step by call id.
 */
export const limitProposals = (
  finishedSteps: ReadonlyArray<FinishedStep>,
  results: ReadonlyMap<string, CallResult>,
  lang: Language
): ReadonlyMap<string, CallResult> => {
  const proposed = finishedSteps.flatMap((step) => [...step.results.values()].filter(({ proposal }) => proposal))
  return new Map([...results].map(([callId, result]) => {
    if (result.proposal === undefined) return [callId, result]
    const { name } = result
    if (proposed.some((other) => isSameCall(other, result))) {
      const message = formatMessage({ key: "answer_propose_twice" }, lang)
      return [callId, makeFailedResult(name, "already_proposed", message)]
    }
    if (proposed.length >= maxProposals) {
      const message = formatMessage({ key: "answer_propose_too_many", params: { limit: maxProposals } }, lang)
      return [callId, makeFailedResult(name, "too_many", message)]
    }
    proposed.push(result)
    return [callId, result]
  }))
}

/** Lists the proposals of an answer in the order of their calls. */
export const listProposals = (finishedSteps: ReadonlyArray<FinishedStep>, lang: Language): ReadonlyArray<NewProposal> =>
  finishedSteps.flatMap(({ calls, results }) =>
    calls.flatMap(({ callId, name }) => {
      const proposal = results.get(callId)?.proposal
      return proposal === undefined ? [] : [{ ...proposal, call: callId, tool: name, lang }]
    })
  )

export const toShownProposal = (
  generation: number,
  { arguments: args, call, summary, tool }: NewProposal
): ShownProposal => ({ id: formatProposalId({ generation, call }), tool, arguments: args, summary })
