import { Predicate, type Schema } from "effect"
import { formatMessage } from "../../engine/messages/language.ts"
import { findNearestName } from "../../engine/text/nearestName.ts"
import { shortenJson } from "../context/shorten.ts"
import type { RequestedCall } from "../LanguageModel.ts"
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

/** How a call of a tool that writes is treated. */
type WriteTreatment = "execute" | "propose" | "reject"

const treatWrite = ({ maxDirectWrites, mayPropose }: Setup, earlierWrites: number): WriteTreatment =>
  earlierWrites < maxDirectWrites ? "execute" : mayPropose ? "propose" : "reject"

/** A validated tool call. If `result` is null, the call must be executed, or checked if `isProposal` is true. */
export interface ValidatedCall {
  readonly call: RequestedCall
  readonly isProposal: boolean
  readonly result: CallResult | null
  readonly price: number
}

const validateCall = (setup: Setup, call: RequestedCall, earlierWrites: number): Omit<ValidatedCall, "price"> => {
  const { lang } = setup
  const { name } = call
  const withResult = (result: CallResult | null) => ({ call, isProposal: false, result })
  const args = parseArguments(call.arguments)
  if (args === undefined) {
    return withResult(
      makeFailedResult(name, "invalid_arguments", formatMessage({ key: "answer_arguments_no_json" }, lang))
    )
  }
  const tool = setup.tools.get(name)
  // A fact of the caller never replaces a write.
  const fact = tool?.writes === true ? undefined : findFact(setup.facts, name, args)
  if (fact !== undefined) {
    return withResult({ name, ok: true, text: shortenJson(fact, setup.bounds.resultTokens), credits: 0 })
  }
  if (tool === undefined) {
    const nearestTool = findNearestName(name, setup.tools.keys())
    const message = formatMessage({ key: "answer_no_such_tool", params: { tool: name, nearest: nearestTool } }, lang)
    return withResult(makeFailedResult(name, "unknown_tool", message))
  }
  const treatment = tool.writes ? treatWrite(setup, earlierWrites) : "execute"
  if (treatment === "reject") {
    return withResult(makeFailedResult(name, "not_allowed", formatMessage({ key: "answer_write_not_allowed" }, lang)))
  }
  return { call, isProposal: treatment === "propose", result: null }
}

/** Returns the calls of a step up to the first call that exceeds the limits, and whether calls were left out. */
export const validateCalls = (
  setup: Setup,
  { callCredits, calls, finishedSteps }: RunState
): { readonly validated: ReadonlyArray<ValidatedCall>; readonly isBounded: boolean } => {
  const isWrite = ({ name }: RequestedCall) => setup.tools.get(name)?.writes === true
  const earlierCalls = finishedSteps.flatMap((step) => step.calls)
  let writes = earlierCalls.filter(isWrite).length
  let credits = callCredits
  const validated: Array<ValidatedCall> = []
  for (const call of calls) {
    const outcome = validateCall(setup, call, writes)
    const isExecuted = outcome.result === null && !outcome.isProposal
    const price = isExecuted ? setup.tools.get(call.name)?.credits ?? 0 : 0
    credits += price
    if (earlierCalls.length + validated.length >= setup.bounds.toolCalls || credits > setup.bounds.toolCredits) {
      return { validated, isBounded: true }
    }
    validated.push({ ...outcome, price })
    if (isWrite(call)) writes += 1
  }
  return { validated, isBounded: false }
}
