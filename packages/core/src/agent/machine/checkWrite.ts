import { Predicate, type Schema } from "effect"
import type { RequestedCall } from "../LanguageModel.ts"
import { type AllowedWrite, type KnownRecords, noRecords, type WriteObjection } from "../writeProposal.ts"
import type { Setup } from "./state.ts"
import type { CallResult, FinishedStep } from "./steps.ts"

const readList = (result: unknown, name: string): ReadonlyArray<unknown> => {
  const list = Predicate.hasProperty(result, name) ? result[name] : undefined
  // A list with omitted items cannot show that a record does not exist.
  return Array.isArray(list) && list.every(Predicate.isReadonlyObject) ? list : []
}

const readText = (value: unknown, name: string): string => {
  const text = Predicate.hasProperty(value, name) ? value[name] : undefined
  return typeof text === "string" ? text : ""
}

const readId = (value: unknown): number =>
  Predicate.hasProperty(value, "id") && typeof value.id === "number" ? value.id : Number.NaN

/**
 * Returns the result of the answer's last successful call of `tool`, or undefined if there is no such call. Returns
 * undefined if the caller supplied a fact for `tool`, because a caller's fact must not identify records.
 */
const latestResultOf = (setup: Setup, finishedSteps: ReadonlyArray<FinishedStep>, tool: string): unknown => {
  if (Object.hasOwn(setup.facts, tool)) return undefined
  const results = finishedSteps.flatMap((step) => step.calls.map(({ callId }) => step.results.get(callId)))
  const result = results.findLast((candidate) => candidate?.name === tool && candidate.ok)
  return result === undefined ? undefined : JSON.parse(result.text)
}

/**
 * Returns the positions and tasks that the answer's own tool calls returned. Facts from the caller are not included.
 */
export const collectRecords = (setup: Setup, finishedSteps: ReadonlyArray<FinishedStep>): KnownRecords => {
  const positions = readList(latestResultOf(setup, finishedSteps, "get_positions"), "positions")
  const tasks = readList(latestResultOf(setup, finishedSteps, "get_tasks"), "tasks")
  if (positions.length + tasks.length === 0) return noRecords
  return {
    positions: positions.map((position) => ({
      id: readId(position),
      coin: readText(position, "coin"),
      side: readText(position, "side")
    })),
    tasks: tasks.map((task) => ({
      id: readId(task),
      symbol: readText(Predicate.hasProperty(task, "spec") ? task.spec : undefined, "symbol")
    }))
  }
}

/**
 * Returns whether a call may have written: it succeeded, its result is unknown, or it failed with a retryable error.
 */
const mayHaveChanged = (result: CallResult | undefined): boolean => {
  if (result === undefined || result.ok) return true
  const failed: unknown = JSON.parse(result.text)
  const error = Predicate.hasProperty(failed, "error") ? failed.error : undefined
  return Predicate.hasProperty(error, "retryable") && error.retryable === true
}

/** Returns the calls of finished steps that were executed and may have written. */
export const listWritesMade = (
  setup: Setup,
  finishedSteps: ReadonlyArray<FinishedStep>
): ReadonlyArray<RequestedCall> =>
  finishedSteps.flatMap(({ calls, results }) =>
    calls.filter(({ callId, name }) => {
      const result = results.get(callId)
      return setup.tools.get(name)?.writes === true && result?.proposed === undefined && mayHaveChanged(result)
    })
  )

/** A call of a tool that writes, with parsed arguments. */
export interface WriteCall {
  readonly tool: string
  readonly args: Schema.Json
}

/**
 * The reason why a write is rejected. `done` means that the answer has already made all writes of this kind that the
 * user requested.
 */
export type WriteRejection = WriteObjection | { readonly reason: "done"; readonly field: "" }

/**
 * Returns the reason why a write is not allowed, or null for an allowed write. Each write in `earlierWrites` uses up
 * one permitted call of an allowed write.
 */
export const findRejection = (
  allowed: ReadonlyArray<AllowedWrite>,
  earlierWrites: ReadonlyArray<WriteCall>,
  { args, tool }: WriteCall,
  records: KnownRecords
): WriteRejection | null => {
  const remainingUses = allowed.map(({ maxCalls }) => maxCalls)
  const findUse = (call: WriteCall): number =>
    allowed.findIndex((write, i) =>
      remainingUses[i]! > 0 && write.tool === call.tool && write.findObjection(call.args, records) === null
    )
  for (const call of earlierWrites) {
    const use = findUse(call)
    // An executed write that matches no allowed write counts as a call of the first allowed write with the same tool.
    const consumedUse = use === -1
      ? allowed.findIndex((write, i) => remainingUses[i]! > 0 && write.tool === call.tool)
      : use
    if (consumedUse !== -1) remainingUses[consumedUse]! -= 1
  }
  if (findUse({ args, tool }) !== -1) return null
  let rejection: WriteRejection = { reason: "not_asked", field: "" }
  for (const write of allowed) {
    if (write.tool !== tool) continue
    const objection = write.findObjection(args, records)
    if (objection === null) return { reason: "done", field: "" }
    rejection = objection
  }
  return rejection
}
