import { LanguageModel, type ModelError } from "@tapeline/core/agent"
import type { OpenAiModelOptions } from "@tapeline/openai"
import { efforts, findBaseUrlProblem, findKeyProblem } from "@tapeline/openai/options"
import { makeModelRequest } from "@tapeline/testing/agent/modelRequest"
import { Effect, Redacted, Stream } from "effect"

type Environment = Readonly<Record<string, string | undefined>>

/** The settings of the language model, or the problems in the settings. `options` is null for the offline analyst. */
export type ModelSettings =
  | { readonly options: OpenAiModelOptions | null }
  | { readonly problems: ReadonlyArray<string> }

const timeoutVariables = {
  connectMs: "OPENAI_CONNECT_TIMEOUT_MS",
  firstByteMs: "OPENAI_FIRST_BYTE_TIMEOUT_MS",
  idleMs: "OPENAI_IDLE_TIMEOUT_MS"
} as const

const isCount = (text: string): boolean => /^[1-9]\d{0,8}$/.test(text)

/**
 * Reads the model settings from the server's environment variables. An environment variable with an empty text counts
 * as missing. An API key without a model name selects no model provider, because an evaluation costs money.
 */
export const readModelSettings = (environment: Environment): ModelSettings => {
  const readVariable = (name: string): string | undefined => environment[name] || undefined
  const [model, key, baseUrl] = [
    readVariable("OPENAI_MODEL"),
    readVariable("OPENAI_API_KEY"),
    readVariable("OPENAI_BASE_URL")
  ]
  if (model === undefined) {
    return baseUrl === undefined
      ? { options: null }
      : { problems: ["OPENAI_MODEL must name a model at OPENAI_BASE_URL"] }
  }
  const [api, context, images, effort] = [
    readVariable("OPENAI_API"),
    readVariable("OPENAI_CONTEXT_TOKENS"),
    readVariable("OPENAI_READS_IMAGES"),
    readVariable("OPENAI_REASONING_EFFORT")
  ]
  const reasoningEffort = efforts.find((one) => one === effort)
  const timeouts = Object.entries(timeoutVariables).flatMap(([field, name]) => {
    const text = readVariable(name)
    return text === undefined ? [] : [{ field, name, text }]
  })
  const toProblems = (name: string, problem: string | undefined) => problem === undefined ? [] : [`${name}: ${problem}`]
  const problems = [
    ...toProblems("OPENAI_API_KEY", key === undefined ? undefined : findKeyProblem(key)),
    ...toProblems("OPENAI_BASE_URL", baseUrl === undefined ? undefined : findBaseUrlProblem(baseUrl)),
    ...toProblems(
      "OPENAI_API",
      api === undefined || api === "chat" || api === "responses" ? undefined : "chat or responses"
    ),
    ...toProblems(
      "OPENAI_CONTEXT_TOKENS",
      context === undefined || isCount(context) ? undefined : "a number of tokens"
    ),
    ...toProblems(
      "OPENAI_READS_IMAGES",
      images === undefined || /^(?:true|false)$/.test(images) ? undefined : "true or false"
    ),
    ...toProblems(
      "OPENAI_REASONING_EFFORT",
      effort === reasoningEffort ? undefined : `one of ${efforts.join(", ")}`
    ),
    ...timeouts.flatMap(({ name, text }) => toProblems(name, isCount(text) ? undefined : "milliseconds"))
  ]
  if (problems.length > 0) return { problems }
  return {
    options: {
      model,
      apiKey: key === undefined ? undefined : Redacted.make(key),
      baseUrl,
      api: api === "responses" || api === "chat" ? api : undefined,
      reasoningEffort,
      contextTokens: context === undefined ? undefined : Number(context),
      readsImages: images === undefined ? undefined : images === "true",
      timeouts: Object.fromEntries(timeouts.map(({ field, text }) => [field, Number(text)]))
    }
  }
}

const probeRequest = makeModelRequest({
  purpose: "summary",
  instructions: "Answer with the word ok.",
  turns: [{ _tag: "User", text: "ok?", images: [] }],
  tools: [],
  maxOutputTokens: 16
})

const describeModelError = (error: ModelError): string => {
  switch (error._tag) {
    case "ModelRateLimited":
      return "the provider wants fewer requests"
    case "ModelTimeout":
      return `nothing came for ${error.waitedMs} ms`
    default:
      return error.detail
  }
}

/** Sends a small test request to the model. Returns null if the model responds, or the reason for the failure. */
export const checkModel: Effect.Effect<string | null, never, LanguageModel> = Effect.gen(function*() {
  const model = yield* LanguageModel
  return yield* Stream.runDrain(model.stream(probeRequest)).pipe(
    Effect.as(null),
    Effect.catch((error) => Effect.succeed(`${model.name} cannot be asked: ${describeModelError(error)}`))
  )
})
