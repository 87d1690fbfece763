import { Cause, Effect, Stream } from "effect"
import { composeRequest, type ContextBudget, estimateRequestTokens } from "../context/composeRequest.ts"
import { updateCalibration } from "../context/tokens.ts"
import { type LanguageModel, type ModelPart, type ModelRequest, ModelUnavailable } from "../LanguageModel.ts"
import type { Bounds } from "../machine/bounds.ts"
import type { Command } from "../machine/state.ts"
import { promptVersion } from "../prompts/instructions.ts"
import { countAttempt } from "./metrics.ts"
import { type ActiveRun, sendMessage } from "./RunContext.ts"

type CallModelCommand = Extract<Command, { readonly _tag: "CallModel" }>

/** The maximum number of context tokens of a request. A larger context makes answers more expensive, but not better. */
const maxContextTokens = 64_000

export const makeContextBudget = (
  model: LanguageModel["Service"],
  bounds: Bounds,
  calibration: number
): ContextBudget => {
  const outputTokens = Math.min(bounds.stepOutputTokens, Math.floor(model.contextTokens / 4))
  const tokens = Math.min(model.contextTokens - outputTokens, maxContextTokens) * 0.95 / calibration
  return { tokens: Math.floor(tokens), resultTokens: bounds.resultTokens, outputTokens }
}

/**
 * Builds the request for a step. If the model has rejected the context as too long, the request uses half the tokens.
 */
const buildStepRequest = (
  { state: { finishedSteps }, context: { inputs, model, calibration, setup } }: ActiveRun,
  { isCompacted, isLastStep, silenceMs, step }: CallModelCommand
): ModelRequest => {
  const budget = makeContextBudget(model, setup.bounds, calibration.value)
  const request = { ...composeRequest({ inputs, finishedSteps, step, isLastStep, budget }), silenceMs }
  if (!isCompacted) return request
  const tokens = Math.floor(Math.min(budget.tokens, estimateRequestTokens(request)) / 2)
  return { ...composeRequest({ inputs, finishedSteps, step, isLastStep, budget: { ...budget, tokens } }), silenceMs }
}

/** Requests a step from the model, and sends each part, and any failure, to the run. */
export const requestStep = (
  run: ActiveRun,
  command: CallModelCommand
): Effect.Effect<void> => {
  const { requestId, isLastStep, step } = command
  const { generation, model, calibration } = run.context
  const request = buildStepRequest(run, command)
  const estimate = estimateRequestTokens(request)
  const inputTokens = Math.ceil(estimate * calibration.value)
  let hasEnded = false
  const handlePart = (part: ModelPart) => {
    if (hasEnded) return Effect.void
    if (part._tag === "End") {
      hasEnded = true
      if (part.usage !== null) {
        calibration.value = updateCalibration(calibration.value, estimate, part.usage.inputTokens)
      }
    }
    return sendMessage(run, (ranMs) => ({ _tag: "Part", requestId, part, inputTokens, ranMs }))
  }
  const failBroken = (detail: string) => Effect.fail(new ModelUnavailable({ detail }))
  return countAttempt(model.name, "answer").pipe(
    Effect.andThen(Stream.runForEach(model.stream(request), handlePart)),
    // The handler also catches an interruption within the stream, but not an interruption of the fibre.
    Effect.catchCauseIf(
      (cause) => !Cause.hasFails(cause),
      (cause) =>
        Effect.andThen(
          Effect.logError("The model's adapter failed unexpectedly", cause),
          failBroken("its adapter failed unexpectedly")
        )
    ),
    Effect.andThen(
      Effect.suspend(() => hasEnded ? Effect.void : failBroken("the stream ended without its final event"))
    ),
    Effect.catch((error) =>
      Effect.andThen(
        Effect.logWarning(`The model failed in step ${step} of generation ${generation.id}`, error),
        sendMessage(run, (ranMs) => ({ _tag: "ModelFailed", requestId, error, inputTokens, ranMs }))
      )
    ),
    Effect.withSpan(
      "agent.step",
      { attributes: { step, model: model.name, prompt: promptVersion, inputTokens, last: isLastStep } },
      {
        captureStackTrace: false
      }
    )
  )
}
