import { Predicate, type Schema } from "effect"
import { say } from "../../messages/language.ts"
import type { Language } from "../../messages/languageCode.ts"
import { isText, readTexts } from "../../text/text.ts"
import { thinned } from "../context/thin.ts"
import type { AskedCall } from "../LanguageModel.ts"
import { recordsOf, refusalOf, type WriteCall, type WriteRefusal, writesMade } from "./judgeWrite.ts"
import type { RunState, Setup } from "./state.ts"
import type { CallResult } from "./steps.ts"

/** Longer arguments than this no tool takes. */
const maxArgumentsLength = 65_536
/** What is shown of arguments that are no JSON. */
const shownLength = 500
const maxDepth = 64
const maxNameLength = 64

/** A text that every store can keep. */
export const storableText = (text: string): string => isText(text) ? text : text.replaceAll("\0", "").toWellFormed()

/** The arguments of a call; undefined when they are no JSON that a tool could be given. Nothing at all is `{}`. */
export const readArguments = (text: string): Schema.Json | undefined => {
  if (text.trim() === "") return {}
  if (text.length > maxArgumentsLength) return undefined
  try {
    const args: Schema.Json = JSON.parse(text)
    const report = readTexts(args, maxDepth)
    return report._tag === "Read" && report.faults.length === 0 ? args : undefined
  } catch {
    return undefined
  }
}

/** The arguments as events show them. */
export const shownArguments = (text: string): Schema.Json =>
  readArguments(text) ?? storableText(text.slice(0, shownLength))

/** A call as it was asked for, with a name and arguments that can be kept. */
export const askedCall = (step: number, index: number, name: string, args: string): AskedCall => ({
  callId: `${step}.${index}`,
  name: storableText(name.slice(0, maxNameLength)),
  arguments: storableText(args.slice(0, maxArgumentsLength + 1))
})

const failure = (name: string, code: string, message: string): CallResult => ({
  name,
  ok: false,
  text: JSON.stringify({ error: { code, message, retryable: false } }),
  credits: 0
})

const subjectOf = (value: unknown): string | undefined => {
  if (!Predicate.isReadonlyObject(value)) return undefined
  const subject = ["coin", "symbol"].map((name) => Predicate.hasProperty(value, name) ? value[name] : undefined)
    .find(Predicate.isString)
  return subject?.toUpperCase()
}

/** What the caller gave already of what the call asks for; undefined when it is about something else. */
const givenFact = (facts: Setup["facts"], name: string, args: unknown): Schema.Json | undefined => {
  if (!Object.hasOwn(facts, name)) return undefined
  const fact = facts[name]
  const [asked, told] = [subjectOf(args), subjectOf(fact)]
  return asked === undefined || told === undefined || asked === told ? fact : undefined
}

/** What a model is told of a write that was not made. */
const refused = (name: string, args: Schema.Json, { field, reason }: WriteRefusal, lang: Language): CallResult => {
  const message = {
    not_asked: () => say({ key: "answer_write_not_asked" }, lang),
    differs: () => say({ key: "answer_write_differs", params: { field } }, lang),
    missing: () => say({ key: "answer_write_missing", params: { field } }, lang),
    unclear: () => say({ key: "answer_write_unclear", params: { field } }, lang),
    done: () => say({ key: "answer_write_done" }, lang)
  }[reason]()
  const result = failure(name, "not_asked_for", message)
  return reason === "done" ? result : { ...result, proposed: args }
}

/** What a call comes to that is not made; null of one that is. `refuse` judges those that write. */
const withoutMaking = (
  setup: Setup,
  call: AskedCall,
  refuse: (call: WriteCall) => WriteRefusal | null
): CallResult | null => {
  const { lang } = setup
  const { name } = call
  const args = readArguments(call.arguments)
  if (args === undefined) return failure(name, "invalid_arguments", say({ key: "answer_arguments_no_json" }, lang))
  const fact = givenFact(setup.facts, name, args)
  if (fact !== undefined) return { name, ok: true, text: thinned(fact, setup.bounds.resultTokens), credits: 0 }
  const tool = setup.tools.get(name)
  if (tool === undefined) {
    return failure(name, "unknown_tool", say({ key: "answer_no_such_tool", params: { tool: name } }, lang))
  }
  const refusal = tool.writes ? refuse({ tool: name, args }) : null
  return refusal === null ? null : refused(name, args, refusal, lang)
}

const writeCall = ({ arguments: args, name }: AskedCall): WriteCall => ({
  tool: name,
  args: readArguments(args) ?? null
})

/** A call, and what it comes to where it is not made. */
export interface JudgedCall {
  readonly call: AskedCall
  readonly result: CallResult | null
  readonly price: number
}

/**
 * The calls of a step that the bounds leave room for, in order, and whether any was left out. From the first one on
 * that is too much all are left out, so that a model is not answered in another order than it asked.
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
  for (const call of state.calls) {
    const result = withoutMaking(setup, call, (write) => refusalOf(setup.writes, written, write, records))
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
