import { Context } from "effect"

/** The resource limits of an answer. Limits are necessary because an answer has a fixed price. */
export interface Bounds {
  /** The maximum number of successful requests to the model. The last permitted request offers the model no tools. */
  readonly steps: number
  readonly toolCalls: number
  /** The maximum credits that the answer's tool calls would cost as separate calls. */
  readonly toolCredits: number
  /** The maximum input and output tokens of all steps of an answer together. */
  readonly tokens: number
  readonly runMs: number
  /** The additional time after `runMs` in which the model may finish its last step, in ms. */
  readonly graceMs: number
  readonly attempts: number
  /**
   * The maximum silence of the model's provider during one step, in ms, including all attempts and pauses. If the
   * provider is silent for longer than `silenceMs`, the answer fails. The time for summarising a long conversation
   * counts toward the first step.
   */
  readonly silenceMs: number
  readonly stepOutputTokens: number
  readonly maxConcurrentCalls: number
  readonly resultTokens: number
}

/** The resource limits of the service's answers, which operators and tests may change. */
export const AnswerBounds = Context.Reference<Bounds>("@tapeline/core/agent/AnswerBounds", {
  defaultValue: () => ({
    steps: 12,
    toolCalls: 24,
    toolCredits: 60,
    tokens: 200_000,
    runMs: 300_000,
    graceMs: 60_000,
    attempts: 4,
    silenceMs: 120_000,
    stepOutputTokens: 8_000,
    maxConcurrentCalls: 8,
    resultTokens: 2_000
  })
})
