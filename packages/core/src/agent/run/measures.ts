import { Effect } from "effect"
import { counterOf } from "../../engine/measures/counterOf.ts"
import { Outcome } from "../event.ts"
import type { Consumption } from "../generation.ts"
import type { ModelRequest } from "../LanguageModel.ts"

type Purpose = ModelRequest["purpose"]

interface OfModel {
  readonly [label: string]: string
  readonly model: string
}

const tokens = counterOf<OfModel & { readonly kind: string }>(
  "tapeline_agent_tokens",
  "Tokens that answers consumed, by kind"
)
const steps = counterOf<OfModel>("tapeline_agent_steps", "Steps of the model, each once however often it was tried")
const answers = counterOf<OfModel & { readonly outcome: Outcome }>(
  "tapeline_agent_answers",
  "Answers that ended here, by outcome"
)
const attempts = counterOf<OfModel & { readonly purpose: Purpose }>(
  "tapeline_agent_attempts",
  "Requests to the model, those that failed included"
)

const kinds = [
  { field: "inputTokens", kind: "input" },
  { field: "outputTokens", kind: "output" },
  { field: "cachedTokens", kind: "cached" },
  { field: "reasoningTokens", kind: "reasoning" }
] as const

const purposes: ReadonlyArray<Purpose> = ["answer", "suggest", "summary"]

/** Creates all counters of a model's answers, so that they are visible from the start. */
export const showAgentCounters = (model: string): Effect.Effect<void> =>
  Effect.all([
    steps.show({ model }),
    ...Outcome.literals.map((outcome) => answers.show({ model, outcome })),
    ...kinds.map(({ kind }) => tokens.show({ model, kind })),
    ...purposes.map((purpose) => attempts.show({ model, purpose }))
  ], { discard: true })

/** Counts a request to a model. */
export const countAttempt = (model: string, purpose: Purpose): Effect.Effect<void> => attempts.add({ model, purpose })

/** Counts an answer that ended, and its consumption. */
export const countAnswer = (model: string, outcome: Outcome, consumed: Consumption): Effect.Effect<void> =>
  Effect.all([
    answers.add({ model, outcome }),
    steps.add({ model }, consumed.steps),
    ...kinds.map(({ field, kind }) => tokens.add({ model, kind }, consumed[field]))
  ], { discard: true })
