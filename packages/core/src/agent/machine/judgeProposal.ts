import { Predicate, type Schema } from "effect"
import { say } from "../../engine/messages/language.ts"
import type { WriteProposal } from "../writes.ts"
import type { WriteCall, WriteRefusal } from "./judgeWrite.ts"
import { isPlain, isSame, longestProposal, mostProposals, proposalIn, proposeWrite } from "./proposals.ts"
import type { Setup } from "./state.ts"
import { type CallResult, type DoneStep, failedCall } from "./steps.ts"

/** Returns the proposals that finished steps made with `propose_write`, without duplicates. */
export const proposedIn = (done: ReadonlyArray<DoneStep>): ReadonlyArray<WriteProposal> => {
  const results = done.flatMap(({ calls, results }) => calls.flatMap(({ callId }) => results.get(callId) ?? []))
  const proposals = results.flatMap(({ name, proposed }) =>
    name === proposeWrite ? proposalIn(name, proposed) ?? [] : []
  )
  return proposals.filter((proposal, i) => proposals.findIndex((one) => isSame(one, proposal)) === i)
}

const givenProposal = (args: Schema.Json): WriteProposal | null => {
  const isGiven = Predicate.isReadonlyObject(args) && !Array.isArray(args) &&
    Object.keys(args).every((key) => key === "tool" || key === "arguments")
  const proposal = isGiven ? proposalIn(proposeWrite, args) : null
  return Predicate.isReadonlyObject(proposal?.arguments) && !Array.isArray(proposal.arguments) ? proposal : null
}

/**
 * Returns the result of a call of `propose_write`. It writes nothing. A call that could be made is stored as a
 * proposal. `before` are the proposals of this answer so far. `refuse` returns the reason why the message does not
 * allow the call.
 */
export const judgeProposal = (
  { carried, faultsOf, lang, tools }: Setup,
  args: Schema.Json,
  before: ReadonlyArray<WriteProposal>,
  refuse: (call: WriteCall) => WriteRefusal | null
): CallResult => {
  const refused = (code: string, message: string) => failedCall(proposeWrite, code, message)
  const invalid = (message: string) => refused("invalid_arguments", message)
  const writing = [...tools].flatMap(([name, { writes }]) => writes ? [name] : [])
  const proposal = givenProposal(args)
  if (proposal === null) return invalid(say({ key: "answer_propose_shape" }, lang))
  const { arguments: proposed, tool } = proposal
  if (!writing.includes(tool)) {
    return invalid(say({ key: "answer_propose_no_write", params: { tools: writing.join(", ") } }, lang))
  }
  const faults = faultsOf?.(tool, proposed) ?? []
  if (faults.length > 0) {
    return invalid(say({ key: "answer_propose_faults", params: { tool, faults: faults.join("; ") } }, lang))
  }
  if (!isPlain(proposal)) {
    return invalid(say({ key: "answer_propose_not_plain", params: { limit: longestProposal } }, lang))
  }
  const isCarried = carried.some(({ name }) => name === tool)
  const refusal = refuse({ tool, args: proposed })
  const reason = isCarried ? "done" : refusal?.reason ?? null
  if (reason === "unused") {
    return refused("not_asked_for", say({ key: "answer_write_unused", params: { word: refusal?.field ?? "" } }, lang))
  }
  if (reason === "done") return refused("not_asked_for", say({ key: "answer_write_done" }, lang))
  if (reason === null) return refused("asked_for", say({ key: "answer_propose_asked", params: { tool } }, lang))
  if (!before.some((one) => isSame(one, proposal)) && before.length >= mostProposals) {
    return refused("too_many", say({ key: "answer_propose_too_many", params: { limit: mostProposals } }, lang))
  }
  const told = { proposed: true, written: false, note: say({ key: "answer_proposed" }, lang) }
  return { name: proposeWrite, ok: true, text: JSON.stringify(told), credits: 0, proposed: args }
}
