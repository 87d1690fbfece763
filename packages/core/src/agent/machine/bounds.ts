import { Context } from "effect"

/** The resource limits of an answer. An answer has a fixed price, so its resources need limits. */
export interface Bounds {
  /**
   * The maximum number of successful requests to the model. The model must answer in the last step, with the results so
   * far.
   */
  readonly steps: number
  readonly toolCalls: number
  /** The maximum credits that the answer's tool calls would cost as separate calls. */
  readonly toolCredits: number
  /** The maximum input and output tokens of all steps together. */
  readonly tokens: number
  readonly runMs: number
  /** The time after `runMs` in which a last step may still write. */
  readonly graceMs: number
  readonly attempts: number
  /**
   * The maximum silence of the model's provider during one step, in ms, including all attempts and the pauses between
   * attempts. If the provider is silent for longer, the answer fails. The summary of a long conversation counts toward
   * the first step.
   */
  readonly silenceMs: number
  readonly stepOutputTokens: number
  readonly maxConcurrentCalls: number
  readonly resultTokens: number
}

/** The resource limits of this service's answers. Operators and tests may set other limits. */
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
