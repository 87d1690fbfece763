import { Effect, Metric } from "effect"
import type { Outcome } from "../event.ts"
import type { Consumption } from "../generation.ts"

const tokens = Metric.counter("tapeline_agent_tokens", {
  description: "Tokens that answers consumed, by kind",
  incremental: true
})
const steps = Metric.counter("tapeline_agent_steps", {
  description: "Steps of the model, each once however often it was tried",
  incremental: true
})
const answers = Metric.counter("tapeline_agent_answers", {
  description: "Answers that ended here, by outcome",
  incremental: true
})
const attempts = Metric.counter("tapeline_agent_attempts", {
  description: "Requests to the model, those that failed included",
  incremental: true
})

const kinds = [
  { field: "inputTokens", kind: "input" },
  { field: "outputTokens", kind: "output" },
  { field: "cachedTokens", kind: "cached" },
  { field: "reasoningTokens", kind: "reasoning" }
] as const

/** Counts a request to a model. */
export const countAttempt = (model: string, purpose: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(attempts, { model, purpose }), 1)

/** Counts an answer that ended, and what it consumed. */
export const countAnswer = (model: string, outcome: Outcome, consumed: Consumption): Effect.Effect<void> =>
  Effect.all([
    Metric.update(Metric.withAttributes(answers, { model, outcome }), 1),
    Metric.update(Metric.withAttributes(steps, { model }), consumed.steps),
    ...kinds.map(({ field, kind }) => Metric.update(Metric.withAttributes(tokens, { model, kind }), consumed[field]))
  ], { discard: true })
