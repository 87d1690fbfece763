import { Cause, Effect, Stream } from "effect"
import { compose, type ContextBudget, requestTokens } from "../context/compose.ts"
import { calibrate } from "../context/tokens.ts"
import { type LanguageModel, type ModelPart, ModelUnavailable } from "../LanguageModel.ts"
import type { Bounds } from "../machine/bounds.ts"
import type { Command } from "../machine/state.ts"
import { promptVersion } from "../prompts/instructions.ts"
import { countAttempt } from "./measures.ts"
import { type Course, give } from "./Workplace.ts"

/** More of a context than this makes answers dearer and no better. */
const mostContext = 64_000

/** How much a model reads in one request of an answer. */
export const contextBudget = (
  model: LanguageModel["Service"],
  bounds: Bounds,
  ratio: number,
  compacted: boolean
): ContextBudget => {
  const outputTokens = Math.min(bounds.stepOutputTokens, Math.floor(model.contextTokens / 4))
  const tokens = Math.min(model.contextTokens - outputTokens, mostContext) * 0.95 / ratio
  return { tokens: Math.floor(compacted ? tokens / 2 : tokens), resultTokens: bounds.resultTokens, outputTokens }
}

/** Asks the model for a step, and tells the run of every part as it comes, and how it ended. Never fails. */
export const askModel = (
  course: Course,
  { ask, compacted, last, step }: Extract<Command, { readonly _tag: "CallModel" }>
): Effect.Effect<void> => {
  const { generation, material, model, ratio, setup } = course.work
  const budget = contextBudget(model, setup.bounds, ratio.value, compacted)
  const request = compose({ material, done: course.state.done, step, last, budget })
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
    // Also where something within it was interrupted. Of an interruption of this very fiber nothing is caught.
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
