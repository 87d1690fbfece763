import { Schema } from "effect"
import type { Consumption, StoredStep } from "../generation.ts"
import { ProposedCall } from "../proposal.ts"

const UsageContent = Schema.Struct({
  inputTokens: Schema.Finite,
  outputTokens: Schema.Finite,
  cachedTokens: Schema.Finite,
  reasoningTokens: Schema.Finite
})

const ModelStep = Schema.Struct({
  /** The text that the step added to the answer, including the gap before the text. */
  text: Schema.String,
  /** The calls of the step that fit within the answer's limits. */
  calls: Schema.Array(Schema.Struct({ callId: Schema.String, name: Schema.String, arguments: Schema.String })),
  /** The total price of the step's tool calls in credits, including failed calls. */
  priced: Schema.Finite,
  /** The token usage of all attempts of the step. */
  usage: UsageContent,
  /**
   * Whether the step requested more tool calls than the limits allow. If `bounded` is true, the next step is the
   * answer's last step.
   */
  bounded: Schema.Boolean,
  /** The data that the model's provider requires in the next request. */
  providerState: Schema.optionalKey(Schema.String)
})
export type ModelStep = typeof ModelStep.Type

const CallResult = Schema.Struct({
  name: Schema.String,
  ok: Schema.Boolean,
  /** The text of the call's result that the model reads. */
  text: Schema.String,
  /** The credits that the call would cost as a separate call, or 0 if the call failed or was not executed. */
  credits: Schema.Finite,
  /** The URL of the chart that the call drew. */
  url: Schema.optionalKey(Schema.String),
  wrote: Schema.optionalKey(Schema.Boolean),
  /** The proposal that the call became. */
  proposal: Schema.optionalKey(ProposedCall)
})
export type CallResult = typeof CallResult.Type

/** Builds an error result for the model, for a call that was not executed or that failed unexpectedly. */
export const makeFailedResult = (name: string, code: string, message: string, retryable = false): CallResult => ({
  name,
  ok: false,
  text: JSON.stringify({ error: { code, message, retryable } }),
  credits: 0
})

export interface FinishedStep extends ModelStep {
  readonly results: ReadonlyMap<string, CallResult>
}

const decodeStep = Schema.decodeUnknownSync(ModelStep)
const decodeResult = Schema.decodeUnknownSync(CallResult)

/** Encodes a model's step as JSON, with optional fields absent rather than undefined. */
export const encodeStep = (step: number, content: ModelStep): StoredStep => ({ name: `step:${step}`, content })
export const encodeResult = (callId: string, content: CallResult): StoredStep => ({ name: `call:${callId}`, content })

/**
 * Decodes the stored steps of an answer, in order.
 *
 * @throws if a step was not written by `encodeStep` or `encodeResult`, or if a step is missing
 */
export const decodeSteps = (stored: ReadonlyArray<StoredStep>): ReadonlyArray<FinishedStep> => {
  const results = new Map<string, CallResult>()
  const steps = new Map<number, ModelStep>()
  for (const { content, name } of stored) {
    if (name.startsWith("step:")) steps.set(Number(name.slice(5)), decodeStep(content))
    else if (name.startsWith("call:")) results.set(name.slice(5), decodeResult(content))
    else throw new Error(`${name} is not a step of a generation`)
  }
  return [...steps]
    .sort(([a], [b]) => a - b)
    .map(([number, step], i) => {
      if (number !== i + 1) throw new Error(`step ${i + 1} of a generation is missing`)
      const ownResults = step.calls.flatMap(({ callId }) => {
        const result = results.get(callId)
        return result === undefined ? [] : [[callId, result] as const]
      })
      return { ...step, results: new Map(ownResults) }
    })
}

const noConsumption: Consumption = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  steps: 0,
  toolCalls: 0,
  toolCredits: 0
}

export const addUsage = (a: ModelStep["usage"], b: ModelStep["usage"]): ModelStep["usage"] => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens
})

export const noUsage: ModelStep["usage"] = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }

export const sumConsumption = (steps: ReadonlyArray<FinishedStep>): Consumption =>
  steps.reduce((sum, step) => {
    const results = [...step.results.values()]
    return {
      ...addUsage(sum, step.usage),
      steps: sum.steps + 1,
      toolCalls: sum.toolCalls + results.length,
      toolCredits: sum.toolCredits + results.reduce((credits, result) => credits + result.credits, 0)
    }
  }, noConsumption)
