import { Cause, Effect, Stream } from "effect"
import { compose, type ContextBudget, requestTokens } from "../context/compose.ts"
import { calibrate } from "../context/tokens.ts"
import { type LanguageModel, type ModelPart, type ModelRequest, ModelUnavailable } from "../LanguageModel.ts"
import type { Bounds } from "../machine/bounds.ts"
import type { Command } from "../machine/state.ts"
import { promptVersion } from "../prompts/instructions.ts"
import { countAttempt } from "./measures.ts"
import { type Course, give } from "./Workplace.ts"

type Asking = Extract<Command, { readonly _tag: "CallModel" }>

/** The maximum context. A larger one makes answers more expensive, but not better. */
const mostContext = 64_000

/** Returns the token limits of one request. */
export const contextBudget = (
  model: LanguageModel["Service"],
  bounds: Bounds,
  ratio: number
): ContextBudget => {
  const outputTokens = Math.min(bounds.stepOutputTokens, Math.floor(model.contextTokens / 4))
  const tokens = Math.min(model.contextTokens - outputTokens, mostContext) * 0.95 / ratio
  return { tokens: Math.floor(tokens), resultTokens: bounds.resultTokens, outputTokens }
}

/**
 * Builds the request for a step. A compacted request has half the length, for a model whose real context is smaller
 * than reported.
 */
const requestOf = (
  { state: { done }, work: { material, model, ratio, setup } }: Course,
  { compacted, last, silenceMs, step }: Asking
): ModelRequest => {
  const budget = contextBudget(model, setup.bounds, ratio.value)
  const whole = { ...compose({ material, done, step, last, budget }), silenceMs }
  if (!compacted) return whole
  const tokens = Math.floor(Math.min(budget.tokens, requestTokens(whole)) / 2)
  return { ...compose({ material, done, step, last, budget: { ...budget, tokens } }), silenceMs }
}

/** Requests a step from the model, and sends each part and the end to the run. Never fails. */
export const askModel = (
  course: Course,
  asking: Asking
): Effect.Effect<void> => {
  const { ask, last, step } = asking
  const { generation, model, ratio } = course.work
  const request = requestOf(course, asking)
  const estimate = requestTokens(request)
  const inputTokens = Math.ceil(estimate * ratio.value)
  let isOver = false
  const read = (part: ModelPart) => {
    if (isOver) return Effect.void
    if (part._tag === "End") {
      isOver = true
      if (part.usage !== null) ratio.value = calibrate(ratio.value, estimate, part.usage.inputTokens)
    }
    return give(course, (ranMs) => ({ _tag: "Part", ask, part, inputTokens, ranMs }))
  }
  const broken = (detail: string) => Effect.fail(new ModelUnavailable({ detail }))
  return countAttempt(model.name, "answer").pipe(
    Effect.andThen(Stream.runForEach(model.stream(request), read)),
    // Also handles an interruption within the stream. An interruption of this fibre is not caught.
    Effect.catchCauseIf(
      (cause) => !Cause.hasFails(cause),
      (cause) => Effect.andThen(Effect.logError("The model's adapter broke", cause), broken("its adapter broke"))
    ),
    Effect.andThen(Effect.suspend(() => isOver ? Effect.void : broken("the stream has no end"))),
    Effect.catch((error) =>
      Effect.andThen(
        Effect.logWarning(`Step ${step} of generation ${generation.id} failed at the model`, error),
        give(course, (ranMs) => ({ _tag: "ModelFailed", ask, error, inputTokens, ranMs }))
      )
    ),
    Effect.withSpan(
      "agent.step",
      { attributes: { step, model: model.name, prompt: promptVersion, inputTokens, last } },
      {
        captureStackTrace: false
      }
    )
  )
}
