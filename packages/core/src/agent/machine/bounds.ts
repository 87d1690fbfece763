import { Context } from "effect"

/** How much an answer may take, whatever its model asks for: its price is fixed. */
export interface Bounds {
  /** Requests to the model whose outcome counts; the last of them is asked to answer with what it has. */
  readonly steps: number
  readonly toolCalls: number
  /** What its tools would cost by themselves. */
  readonly toolCredits: number
  /** Of all steps together, read and written. */
  readonly tokens: number
  readonly runMs: number
  /** How long after `runMs` a last step may still write. */
  readonly graceMs: number
  /** How often one step is asked for. */
  readonly attempts: number
  /**
   * How long the model's provider may be silent, over all attempts of one step and the pauses between them: then the
   * answer fails. The summary of a long conversation counts toward the first step.
   */
  readonly silenceMs: number
  readonly stepOutputTokens: number
  /** Tool calls side by side. */
  readonly sideBySide: number
  /** Of one tool's result, as the model reads it. */
  readonly resultTokens: number
}

/** The bounds of an answer of this service. Operators and tests may set others. */
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
    sideBySide: 8,
    resultTokens: 2_000
  })
})
