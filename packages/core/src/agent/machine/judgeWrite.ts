import { Predicate, type Schema } from "effect"
import type { AskedCall } from "../LanguageModel.ts"
import { type AllowedWrite, type KnownRecords, noRecords, type WriteObjection } from "../writes.ts"
import type { Setup } from "./state.ts"
import type { CallResult, DoneStep } from "./steps.ts"

const listIn = (result: unknown, name: string): ReadonlyArray<unknown> => {
  const list = Predicate.hasProperty(result, name) ? result[name] : undefined
  // A list with items left out cannot show that a record does not exist.
  return Array.isArray(list) && list.every(Predicate.isReadonlyObject) ? list : []
}

const textOf = (value: unknown, name: string): string => {
  const text = Predicate.hasProperty(value, name) ? value[name] : undefined
  return typeof text === "string" ? text : ""
}

const idOf = (value: unknown): number =>
  Predicate.hasProperty(value, "id") && typeof value.id === "number" ? value.id : Number.NaN

/**
 * Returns the result of the last successful call of `tool`. Undefined if there was none, or if the caller gave the
 * fact.
 */
const toldBy = (setup: Setup, done: ReadonlyArray<DoneStep>, tool: string): unknown => {
  if (Object.hasOwn(setup.facts, tool)) return undefined
  const results = done.flatMap((step) => step.calls.map(({ callId }) => step.results.get(callId)))
  const result = results.findLast((one) => one?.name === tool && one.ok)
  return result === undefined ? undefined : JSON.parse(result.text)
}

/**
 * Returns the account's records, as this answer's own calls of the journal returned them. Facts that the caller gave
 * are not included.
 */
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

/** Whether a call may have written: it succeeded, its result is unknown, or it failed with a retryable error. */
const mayHaveWritten = (result: CallResult | undefined): boolean => {
  if (result === undefined || result.ok) return true
  const failed: unknown = JSON.parse(result.text)
  const error = Predicate.hasProperty(failed, "error") ? failed.error : undefined
  return Predicate.hasProperty(error, "retryable") && error.retryable === true
}

/** Returns the calls of finished steps that were made and may have written. */
export const writesMade = (setup: Setup, done: ReadonlyArray<DoneStep>): ReadonlyArray<AskedCall> =>
  done.flatMap(({ calls, results }) =>
    calls.filter(({ callId, name }) => {
      const result = results.get(callId)
      return setup.tools.get(name)?.writes === true && result?.proposed === undefined && mayHaveWritten(result)
    })
  )

/** A call of a tool that writes. `args` are parsed. */
export interface WriteCall {
  readonly tool: string
  readonly args: Schema.Json
}

/** The reason why a write may not be made. `done`: it was already made as often as the user requested. */
export type WriteRefusal = WriteObjection | { readonly reason: "done"; readonly field: "" }

/**
 * Decides whether a write may be made after the earlier ones. Each requested use counts once, and earlier calls take
 * their uses in order. Returns null if the write may be made.
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
    // A write that no request explains was made anyway. It takes the first use of its tool.
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
