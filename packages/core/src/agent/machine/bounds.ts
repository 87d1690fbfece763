import { Context } from "effect"

/** The resource limits of an answer. They are needed because an answer has a fixed price. */
export interface Bounds {
  /** Requests to the model whose outcome counts. The last one must answer with the results so far. */
  readonly steps: number
  readonly toolCalls: number
  /** The credits that the answer's tool calls would cost as separate calls. */
  readonly toolCredits: number
  /** Input and output tokens of all steps together. */
  readonly tokens: number
  readonly runMs: number
  /** The time after `runMs` in which a last step may still write. */
  readonly graceMs: number
  /** The maximum number of requests for one step. */
  readonly attempts: number
  /**
   * How long the model's provider may be silent, over all attempts of one step and the pauses between them. Then the
   * answer fails. The summary of a long conversation counts toward the first step.
   */
  readonly silenceMs: number
  readonly stepOutputTokens: number
  /** The maximum number of concurrent tool calls. */
  readonly maxConcurrentCalls: number
  /** The limit of one tool's result in the model's input. */
  readonly resultTokens: number
}

/** The bounds of this service's answers. Operators and tests may set others. */
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
