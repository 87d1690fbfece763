import { Predicate, type Schema } from "effect"
import { say } from "../../engine/messages/language.ts"
import { nearestName } from "../../engine/text/nearestName.ts"
import { thinned } from "../context/thin.ts"
import type { AskedCall } from "../LanguageModel.ts"
import type { WriteProposal } from "../writes.ts"
import { readArguments } from "./asked.ts"
import { judgeProposal, proposedIn } from "./judgeProposal.ts"
import { recordsOf, refusalOf, type WriteCall, type WriteRefusal, writesMade } from "./judgeWrite.ts"
import { isSame, proposalIn, proposeWrite } from "./proposals.ts"
import type { RunState, Setup } from "./state.ts"
import { type CallResult, failedCall } from "./steps.ts"

const subjectOf = (value: unknown): string | undefined => {
  if (!Predicate.isReadonlyObject(value)) return undefined
  const subject = ["coin", "symbol"].map((name) => Predicate.hasProperty(value, name) ? value[name] : undefined)
    .find(Predicate.isString)
  return subject?.toUpperCase()
}

/** Returns the caller's fact that answers the call; undefined if the fact is about another coin or symbol. */
const givenFact = (facts: Setup["facts"], name: string, args: unknown): Schema.Json | undefined => {
  if (!Object.hasOwn(facts, name)) return undefined
  const fact = facts[name]
  const [asked, told] = [subjectOf(args), subjectOf(fact)]
  return asked === undefined || told === undefined || asked === told ? fact : undefined
}

/** Builds the result of a rejected write, for the model. */
const refused = (
  { faultsOf, lang }: Setup,
  name: string,
  args: Schema.Json,
  { field, reason }: WriteRefusal
): CallResult => {
  const message = {
    not_asked: () => say({ key: "answer_write_not_asked" }, lang),
    differs: () => say({ key: "answer_write_differs", params: { field } }, lang),
    missing: () => say({ key: "answer_write_missing", params: { field } }, lang),
    unclear: () => say({ key: "answer_write_unclear", params: { field } }, lang),
    unused: () => say({ key: "answer_write_unused", params: { word: field } }, lang),
    done: () => say({ key: "answer_write_done" }, lang)
  }[reason]()
  const result = failedCall(name, "not_asked_for", message)
  // The write is not a proposal in three cases: the user could not accept it, no tool would accept it, or it leaves out
  // a word of the user.
  const isProposal = reason !== "done" && reason !== "unused" && faultsOf !== null && faultsOf(name, args).length === 0
  return isProposal ? { ...result, proposed: args } : result
}

/** The rules for calls that write, at this point of an answer. */
interface Judging {
  readonly refuse: (call: WriteCall) => WriteRefusal | null
  readonly proposals: ReadonlyArray<WriteProposal>
}

/** Returns the result of a call that is not made; null if the call is to be made. */
const withoutMaking = (setup: Setup, call: AskedCall, { proposals, refuse }: Judging): CallResult | null => {
  const { lang } = setup
  const { name } = call
  const args = readArguments(call.arguments)
  if (args === undefined) return failedCall(name, "invalid_arguments", say({ key: "answer_arguments_no_json" }, lang))
  const fact = givenFact(setup.facts, name, args)
  if (fact !== undefined) return { name, ok: true, text: thinned(fact, setup.bounds.resultTokens), credits: 0 }
  if (name === proposeWrite && setup.faultsOf !== null) return judgeProposal(setup, args, proposals, refuse)
  const tool = setup.tools.get(name)
  if (tool === undefined) {
    const nearest = nearestName(name, setup.tools.keys())
    return failedCall(name, "unknown_tool", say({ key: "answer_no_such_tool", params: { tool: name, nearest } }, lang))
  }
  const refusal = tool.writes ? refuse({ tool: name, args }) : null
  return refusal === null ? null : refused(setup, name, args, refusal)
}

const writeCall = ({ arguments: args, name }: AskedCall): WriteCall => ({
  tool: name,
  args: readArguments(args) ?? null
})

/** A call, with its result if it is not made. */
export interface JudgedCall {
  readonly call: AskedCall
  readonly result: CallResult | null
  readonly price: number
}

/**
 * Returns the calls of a step that fit within the bounds, in order, and whether any was left out. After the first call
 * that does not fit, all are left out, so that the results keep the order of the model's requests.
 */
export const judgeCalls = (
  setup: Setup,
  state: RunState
): { readonly judged: ReadonlyArray<JudgedCall>; readonly bounded: boolean } => {
  const made = state.done.reduce((count, { calls }) => count + calls.length, 0)
  let credits = state.priced
  const judged: Array<JudgedCall> = []
  const records = recordsOf(setup, state.done)
  const written = writesMade(setup, state.done).map(writeCall)
  const proposals = [...proposedIn(state.done)]
  const refuse = (write: WriteCall) => refusalOf(setup.writes, written, write, records)
  for (const call of state.calls) {
    const result = withoutMaking(setup, call, { refuse, proposals })
    const proposal = result?.name === proposeWrite ? proposalIn(proposeWrite, result.proposed) : null
    if (proposal !== null && !proposals.some((one) => isSame(one, proposal))) proposals.push(proposal)
    const price = result === null ? setup.tools.get(call.name)?.credits ?? 0 : 0
    credits += price
    if (made + judged.length >= setup.bounds.toolCalls || credits > setup.bounds.toolCredits) {
      return { judged, bounded: true }
    }
    judged.push({ call, result, price })
    if (result === null && setup.tools.get(call.name)?.writes === true) written.push(writeCall(call))
  }
  return { judged, bounded: false }
}
