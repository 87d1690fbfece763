import { Clock, Effect, Metric } from "effect"
import { makeCounter } from "../../engine/metrics/counter.ts"
import { Outcome } from "../event.ts"
import type { Consumption } from "../generation.ts"
import type { ModelRequest } from "../LanguageModel.ts"

type Purpose = ModelRequest["purpose"]

interface ModelLabels {
  readonly [label: string]: string
  readonly model: string
}

const tokens = makeCounter<ModelLabels & { readonly kind: string }>(
  "tapeline_agent_tokens",
  "Tokens used by answers, by kind"
)
const steps = makeCounter<ModelLabels>(
  "tapeline_agent_steps",
  "Model steps of answers; a step with retries counts once"
)
const answers = makeCounter<ModelLabels & { readonly outcome: Outcome }>(
  "tapeline_agent_answers",
  "Answers that ended in this process, by outcome"
)
const attempts = makeCounter<ModelLabels & { readonly purpose: Purpose }>(
  "tapeline_agent_attempts",
  "Requests to the model, including failed requests"
)

const running = Metric.gauge("tapeline_agent_running", {
  description: "Answers that this process is running"
})
// The metric is a start time and not an age, because an age would need a timer that updates the metric.
const oldestStartTime = Metric.gauge("tapeline_agent_oldest_start_time_seconds", {
  description: "The time at which this process began its oldest running answer, in seconds since 1970; 0 without one"
})

const kinds = [
  { field: "inputTokens", kind: "input" },
  { field: "outputTokens", kind: "output" },
  { field: "cachedTokens", kind: "cached" },
  { field: "reasoningTokens", kind: "reasoning" }
] as const

const purposes: ReadonlyArray<Purpose> = ["answer", "suggest", "summary"]

/** Publishes all counters of a model's answers, so that the metrics contain them from the start. */
export const initialiseAgentCounters = (model: string): Effect.Effect<void> =>
  Effect.all([
    Metric.value(running),
    Metric.value(oldestStartTime),
    steps.publish({ model }),
    ...Outcome.literals.map((outcome) => answers.publish({ model, outcome })),
    ...kinds.map(({ kind }) => tokens.publish({ model, kind })),
    ...purposes.map((purpose) => attempts.publish({ model, purpose }))
  ], { discard: true })

/** Returns a function that runs an answer and counts it in the metrics of running answers until it ends. */
export const makeCountRunning = (): <A, E, R>(run: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> => {
  // A set returns its elements in the order of their insertion, so its first element is the oldest.
  const runs = new Set<{ readonly startedAt: number }>()
  const publish = Effect.suspend(() => {
    const [oldest] = runs
    return Effect.all([
      Metric.update(running, runs.size),
      Metric.update(oldestStartTime, (oldest?.startedAt ?? 0) / 1_000)
    ], { discard: true })
  })
  const begin = Effect.flatMap(Clock.currentTimeMillis, (startedAt) => {
    const run = { startedAt }
    runs.add(run)
    return Effect.as(publish, run)
  })
  return (answer) =>
    Effect.acquireUseRelease(begin, () => answer, (run) => {
      runs.delete(run)
      return publish
    })
}

export const countAttempt = (model: string, purpose: Purpose): Effect.Effect<void> => attempts.add({ model, purpose })

export const countAnswer = (model: string, outcome: Outcome, consumed: Consumption): Effect.Effect<void> =>
  Effect.all([
    answers.add({ model, outcome }),
    steps.add({ model }, consumed.steps),
    ...kinds.map(({ field, kind }) => tokens.add({ model, kind }, consumed[field]))
  ], { discard: true })
