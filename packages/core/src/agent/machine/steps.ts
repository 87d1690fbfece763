import { Schema } from "effect"
import type { Consumption, StoredStep } from "../generation.ts"

const UsageContent = Schema.Struct({
  inputTokens: Schema.Finite,
  outputTokens: Schema.Finite,
  cachedTokens: Schema.Finite,
  reasoningTokens: Schema.Finite
})

/** A step of the model that was finished, as it is kept. */
const ModelStep = Schema.Struct({
  /** What it added to the answer, the gap before it included. */
  text: Schema.String,
  /** The calls that are made; those beyond the bounds are not among them. */
  calls: Schema.Array(Schema.Struct({ callId: Schema.String, name: Schema.String, arguments: Schema.String })),
  /** What its calls are priced at, whether they succeed or not. */
  priced: Schema.Finite,
  /** All that its attempts consumed. */
  usage: UsageContent,
  /** True when it asked for more than the bounds allow, so that the next step is the last. */
  bounded: Schema.Boolean
})
export type ModelStep = typeof ModelStep.Type

/** What a tool's call came to, as it is kept. */
const CallResult = Schema.Struct({
  name: Schema.String,
  ok: Schema.Boolean,
  /** The result as the model reads it. */
  text: Schema.String,
  /** What it would have cost by itself; 0 when it failed or was not made. */
  credits: Schema.Finite,
  /** Of a chart that was drawn. */
  url: Schema.optionalKey(Schema.String),
  /** Of a call that wrote something: true. */
  wrote: Schema.optionalKey(Schema.Boolean),
  /**
   * Of a call that would have written, and was not asked for by the user: its arguments. Of `propose_write` its own.
   */
  proposed: Schema.optionalKey(Schema.Json)
})
export type CallResult = typeof CallResult.Type

/** What a call comes to that is not made, or broke: an error that the model reads. */
export const failedCall = (name: string, code: string, message: string, retryable = false): CallResult => ({
  name,
  ok: false,
  text: JSON.stringify({ error: { code, message, retryable } }),
  credits: 0
})

/** A finished step, with what its calls came to so far. */
export interface DoneStep extends ModelStep {
  readonly results: ReadonlyMap<string, CallResult>
}

const decodeStep = Schema.decodeUnknownSync(ModelStep)
const decodeResult = Schema.decodeUnknownSync(CallResult)

/** A stored step's content is JSON: what is left out is absent, and not undefined. */
export const storedStep = (step: number, content: ModelStep): StoredStep => ({ name: `step:${step}`, content })
export const storedCall = (callId: string, content: CallResult): StoredStep => ({ name: `call:${callId}`, content })

/** The steps that stored ones tell of, in order. What was not written by `storedStep` and `storedCall` is a defect. */
export const doneSteps = (stored: ReadonlyArray<StoredStep>): ReadonlyArray<DoneStep> => {
  const results = new Map<string, CallResult>()
  const steps = new Map<number, ModelStep>()
  for (const { content, name } of stored) {
    if (name.startsWith("step:")) steps.set(Number(name.slice(5)), decodeStep(content))
    else if (name.startsWith("call:")) results.set(name.slice(5), decodeResult(content))
    else throw new Error(`${name} is no step of a generation`)
  }
  return [...steps]
    .sort(([a], [b]) => a - b)
    .map(([number, step], i) => {
      if (number !== i + 1) throw new Error(`step ${i + 1} of a generation is missing`)
      const own = step.calls.flatMap(({ callId }) => {
        const result = results.get(callId)
        return result === undefined ? [] : [[callId, result] as const]
      })
      return { ...step, results: new Map(own) }
    })
}

const nothing: Consumption = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  steps: 0,
  toolCalls: 0,
  toolCredits: 0
}

/** What two uses of a model come to. */
export const addUsage = (a: ModelStep["usage"], b: ModelStep["usage"]): ModelStep["usage"] => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens
})

export const noUsage: ModelStep["usage"] = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }

/** What finished steps consumed. */
export const consumedBy = (steps: ReadonlyArray<DoneStep>): Consumption =>
  steps.reduce((sum, step) => {
    const results = [...step.results.values()]
    return {
      ...addUsage(sum, step.usage),
      steps: sum.steps + 1,
      toolCalls: sum.toolCalls + results.length,
      toolCredits: sum.toolCredits + results.reduce((credits, result) => credits + result.credits, 0)
    }
  }, nothing)
