import { Predicate, type Schema } from "effect"
import { formatMessage } from "../../engine/messages/language.ts"
import type { WriteProposal } from "../writeProposal.ts"
import type { WriteCall, WriteRejection } from "./checkWrite.ts"
import {
  isFullyVisible,
  isSameCall,
  maxProposalLength,
  maxProposals,
  proposeWriteName,
  readProposal
} from "./proposals.ts"
import type { Setup } from "./state.ts"
import { type CallResult, type FinishedStep, makeFailedResult } from "./steps.ts"

export const collectProposed = (finishedSteps: ReadonlyArray<FinishedStep>): ReadonlyArray<WriteProposal> => {
  const results = finishedSteps.flatMap(({ calls, results }) =>
    calls.flatMap(({ callId }) => results.get(callId) ?? [])
  )
  const proposals = results.flatMap(({ name, proposed }) =>
    name === proposeWriteName ? readProposal(name, proposed) ?? [] : []
  )
  return proposals.filter((proposal, i) => proposals.findIndex((other) => isSameCall(other, proposal)) === i)
}

const parseProposal = (args: Schema.Json): WriteProposal | null => {
  const hasProposalShape = Predicate.isReadonlyObject(args) && !Array.isArray(args) &&
    Object.keys(args).every((key) => key === "tool" || key === "arguments")
  const proposal = hasProposalShape ? readProposal(proposeWriteName, args) : null
  return Predicate.isReadonlyObject(proposal?.arguments) && !Array.isArray(proposal.arguments) ? proposal : null
}

/** Checks a `propose_write` call and returns its result. A valid call becomes a proposal and writes nothing. */
export const checkProposal = (
  { replacedWrites, findArgumentFaults, lang, tools }: Setup,
  args: Schema.Json,
  earlierProposals: ReadonlyArray<WriteProposal>,
  findRejection: (call: WriteCall) => WriteRejection | null
): CallResult => {
  const reject = (code: string, message: string) => makeFailedResult(proposeWriteName, code, message)
  const rejectInvalid = (message: string) => reject("invalid_arguments", message)
  const writeTools = [...tools].flatMap(([name, { writes }]) => writes ? [name] : [])
  const proposal = parseProposal(args)
  if (proposal === null) return rejectInvalid(formatMessage({ key: "answer_propose_shape" }, lang))
  const { arguments: proposed, tool } = proposal
  if (!writeTools.includes(tool)) {
    return rejectInvalid(
      formatMessage({ key: "answer_propose_no_write", params: { tools: writeTools.join(", ") } }, lang)
    )
  }
  const faults = findArgumentFaults?.(tool, proposed) ?? []
  if (faults.length > 0) {
    return rejectInvalid(
      formatMessage({ key: "answer_propose_faults", params: { tool, faults: faults.join("; ") } }, lang)
    )
  }
  if (!isFullyVisible(proposal)) {
    return rejectInvalid(formatMessage({ key: "answer_propose_not_plain", params: { limit: maxProposalLength } }, lang))
  }
  const isAlreadyWritten = replacedWrites.some(({ name }) => name === tool)
  const rejection = findRejection({ tool, args: proposed })
  const reason = isAlreadyWritten ? "done" : rejection?.reason ?? null
  if (reason === "unused") {
    return reject(
      "not_asked_for",
      formatMessage({ key: "answer_write_unused", params: { word: rejection?.field ?? "" } }, lang)
    )
  }
  if (reason === "done") return reject("not_asked_for", formatMessage({ key: "answer_write_done" }, lang))
  if (reason === null) {
    return reject("asked_for", formatMessage({ key: "answer_propose_asked", params: { tool } }, lang))
  }
  if (!earlierProposals.some((other) => isSameCall(other, proposal)) && earlierProposals.length >= maxProposals) {
    return reject("too_many", formatMessage({ key: "answer_propose_too_many", params: { limit: maxProposals } }, lang))
  }
  const response = { proposed: true, written: false, note: formatMessage({ key: "answer_proposed" }, lang) }
  return { name: proposeWriteName, ok: true, text: JSON.stringify(response), credits: 0, proposed: args }
}
