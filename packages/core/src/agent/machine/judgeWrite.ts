import { Predicate, type Schema } from "effect"
import type { AskedCall } from "../LanguageModel.ts"
import { type AllowedWrite, type KnownRecords, noRecords, type WriteObjection } from "../writes.ts"
import type { Setup } from "./state.ts"
import type { CallResult, DoneStep } from "./steps.ts"

const listIn = (result: unknown, name: string): ReadonlyArray<unknown> => {
  const list = Predicate.hasProperty(result, name) ? result[name] : undefined
  // A list of which something was left out says nothing of what is not in it.
  return Array.isArray(list) && list.every(Predicate.isReadonlyObject) ? list : []
}

const textOf = (value: unknown, name: string): string => {
  const text = Predicate.hasProperty(value, name) ? value[name] : undefined
  return typeof text === "string" ? text : ""
}

const idOf = (value: unknown): number =>
  Predicate.hasProperty(value, "id") && typeof value.id === "number" ? value.id : Number.NaN

/** What the last call of `tool` that succeeded told; undefined of none, and where the caller had given that fact. */
const toldBy = (setup: Setup, done: ReadonlyArray<DoneStep>, tool: string): unknown => {
  if (Object.hasOwn(setup.facts, tool)) return undefined
  const results = done.flatMap((step) => step.calls.map(({ callId }) => step.results.get(callId)))
  const result = results.findLast((one) => one?.name === tool && one.ok)
  return result === undefined ? undefined : JSON.parse(result.text)
}

/** The account's records, as this answer's own calls of the journal told of them; given facts are not among them. */
export const recordsOf = (setup: Setup, done: ReadonlyArray<DoneStep>): KnownRecords => {
  const positions = listIn(toldBy(setup, done, "get_positions"), "positions")
  const tasks = listIn(toldBy(setup, done, "get_tasks"), "tasks")
  if (positions.length + tasks.length === 0) return noRecords
  return {
    positions: positions.map((one) => ({ id: idOf(one), coin: textOf(one, "coin"), side: textOf(one, "side") })),
    tasks: tasks.map((one) => ({
      id: idOf(one),
      symbol: textOf(Predicate.hasProperty(one, "spec") ? one.spec : undefined, "symbol")
    }))
  }
}

/** Whether a call that was made may have written: it did, it is not known yet, or it broke off. */
const mayHaveWritten = (result: CallResult | undefined): boolean => {
  if (result === undefined || result.ok) return true
  const failed: unknown = JSON.parse(result.text)
  const error = Predicate.hasProperty(failed, "error") ? failed.error : undefined
  return Predicate.hasProperty(error, "retryable") && error.retryable === true
}

/** The calls of finished steps that were made, and may have written. */
export const writesMade = (setup: Setup, done: ReadonlyArray<DoneStep>): ReadonlyArray<AskedCall> =>
  done.flatMap(({ calls, results }) =>
    calls.filter(({ callId, name }) => {
      const result = results.get(callId)
      return setup.tools.get(name)?.writes === true && result?.proposed === undefined && mayHaveWritten(result)
    })
  )

/** A call of a tool that writes; `args` are parsed. */
export interface WriteCall {
  readonly tool: string
  readonly args: Schema.Json
}

/** Why a write may not be made; `done`: it was made as often as it was asked for. */
export type WriteRefusal = WriteObjection | { readonly reason: "done"; readonly field: "" }

/**
 * Whether a write may be made after those that were: each use of what was asked for counts once, and the uses that
 * earlier calls took are taken in their order. Null when it may.
 */
export const refusalOf = (
  allowed: ReadonlyArray<AllowedWrite>,
  before: ReadonlyArray<WriteCall>,
  { args, tool }: WriteCall,
  records: KnownRecords
): WriteRefusal | null => {
  const left = allowed.map(({ times }) => times)
  const useOf = (call: WriteCall): number =>
    allowed.findIndex((one, i) => left[i]! > 0 && one.tool === call.tool && one.objection(call.args, records) === null)
  for (const call of before) {
    const use = useOf(call)
    // What no request explains was made all the same: it takes the first of its tool.
    const taken = use === -1 ? allowed.findIndex((one, i) => left[i]! > 0 && one.tool === call.tool) : use
    if (taken !== -1) left[taken]! -= 1
  }
  if (useOf({ args, tool }) !== -1) return null
  let refusal: WriteRefusal = { reason: "not_asked", field: "" }
  for (const one of allowed) {
    if (one.tool !== tool) continue
    const objection = one.objection(args, records)
    if (objection === null) return { reason: "done", field: "" }
    refusal = objection
  }
  return refusal
}
