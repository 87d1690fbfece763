import { Predicate, type Schema } from "effect"
import { formatMessage } from "../../engine/messages/language.ts"
import { findNearestName } from "../../engine/text/nearestName.ts"
import { shortenJson } from "../context/shorten.ts"
import type { RequestedCall } from "../LanguageModel.ts"
import type { WriteProposal } from "../writeProposal.ts"
import { checkProposal, collectProposed } from "./checkProposal.ts"
import { collectRecords, findRejection, listWritesMade, type WriteCall, type WriteRejection } from "./checkWrite.ts"
import { isSameCall, proposeWriteName, readProposal } from "./proposals.ts"
import { parseArguments } from "./requestedCall.ts"
import type { RunState, Setup } from "./state.ts"
import { type CallResult, makeFailedResult } from "./steps.ts"

const readSubject = (value: unknown): string | undefined => {
  if (!Predicate.isReadonlyObject(value)) return undefined
  const subject = ["coin", "symbol"].map((name) => Predicate.hasProperty(value, name) ? value[name] : undefined)
    .find(Predicate.isString)
  return subject?.toUpperCase()
}

/**
 * Returns the caller's fact that answers a tool call, or undefined. A fact about another coin or symbol does not answer
 * the call.
 */
const findFact = (facts: Setup["facts"], name: string, args: unknown): Schema.Json | undefined => {
  if (!Object.hasOwn(facts, name)) return undefined
  const fact = facts[name]
  const [callSubject, factSubject] = [readSubject(args), readSubject(fact)]
  return callSubject === undefined || factSubject === undefined || callSubject === factSubject ? fact : undefined
}

const makeRejectedResult = (
  { findArgumentFaults, lang }: Setup,
  name: string,
  args: Schema.Json,
  { field, reason }: WriteRejection
): CallResult => {
  const message = {
    not_asked: () => formatMessage({ key: "answer_write_not_asked" }, lang),
    differs: () => formatMessage({ key: "answer_write_differs", params: { field } }, lang),
    missing: () => formatMessage({ key: "answer_write_missing", params: { field } }, lang),
    unclear: () => formatMessage({ key: "answer_write_unclear", params: { field } }, lang),
    unused: () => formatMessage({ key: "answer_write_unused", params: { word: field } }, lang),
    done: () => formatMessage({ key: "answer_write_done" }, lang)
  }[reason]()
  const result = makeFailedResult(name, "not_asked_for", message)
  // A rejected write becomes a proposal if the answer may propose writes and the arguments are valid. A repeated write
  // (`done`) and a write that ignores a word of the user (`unused`) become no proposals.
  const isProposal = reason !== "done" && reason !== "unused" && findArgumentFaults !== null &&
    findArgumentFaults(name, args).length === 0
  return isProposal ? { ...result, proposed: args } : result
}

interface WriteRules {
  readonly findRejection: (call: WriteCall) => WriteRejection | null
  readonly proposals: ReadonlyArray<WriteProposal>
}

/** Returns the result of a call that needs no execution, or null if the call must be executed. */
const resultWithoutCall = (
  setup: Setup,
  call: RequestedCall,
  { proposals, findRejection }: WriteRules
): CallResult | null => {
  const { lang } = setup
  const { name } = call
  const args = parseArguments(call.arguments)
  if (args === undefined) {
    return makeFailedResult(name, "invalid_arguments", formatMessage({ key: "answer_arguments_no_json" }, lang))
  }
  const fact = findFact(setup.facts, name, args)
  if (fact !== undefined) return { name, ok: true, text: shortenJson(fact, setup.bounds.resultTokens), credits: 0 }
  if (name === proposeWriteName && setup.findArgumentFaults !== null) {
    return checkProposal(setup, args, proposals, findRejection)
  }
  const tool = setup.tools.get(name)
  if (tool === undefined) {
    const nearestTool = findNearestName(name, setup.tools.keys())
    return makeFailedResult(
      name,
      "unknown_tool",
      formatMessage({ key: "answer_no_such_tool", params: { tool: name, nearest: nearestTool } }, lang)
    )
  }
  const rejection = tool.writes ? findRejection({ tool: name, args }) : null
  return rejection === null ? null : makeRejectedResult(setup, name, args, rejection)
}

const toWriteCall = ({ arguments: args, name }: RequestedCall): WriteCall => ({
  tool: name,
  args: parseArguments(args) ?? null
})

/** A validated tool call. `result` is null if the call must still be executed. */
export interface ValidatedCall {
  readonly call: RequestedCall
  readonly result: CallResult | null
  readonly price: number
}

/** Returns the calls of a step up to the first call that exceeds the limits, and whether calls were left out. */
export const validateCalls = (
  setup: Setup,
  state: RunState
): { readonly validated: ReadonlyArray<ValidatedCall>; readonly isBounded: boolean } => {
  const callCount = state.finishedSteps.reduce((count, { calls }) => count + calls.length, 0)
  let credits = state.callCredits
  const validated: Array<ValidatedCall> = []
  const records = collectRecords(setup, state.finishedSteps)
  const earlierWrites = listWritesMade(setup, state.finishedSteps).map(toWriteCall)
  const proposals = [...collectProposed(state.finishedSteps)]
  const rejectWrite = (write: WriteCall) => findRejection(setup.writes, earlierWrites, write, records)
  for (const call of state.calls) {
    const result = resultWithoutCall(setup, call, { findRejection: rejectWrite, proposals })
    const proposal = result?.name === proposeWriteName ? readProposal(proposeWriteName, result.proposed) : null
    if (proposal !== null && !proposals.some((other) => isSameCall(other, proposal))) proposals.push(proposal)
    const price = result === null ? setup.tools.get(call.name)?.credits ?? 0 : 0
    credits += price
    if (callCount + validated.length >= setup.bounds.toolCalls || credits > setup.bounds.toolCredits) {
      return { validated, isBounded: true }
    }
    validated.push({ call, result, price })
    if (result === null && setup.tools.get(call.name)?.writes === true) earlierWrites.push(toWriteCall(call))
  }
  return { validated, isBounded: false }
}
