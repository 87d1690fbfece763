import type { OpenAiEmbeddingsOptions, OpenAiModelOptions } from "@tapeline/openai"
import {
  defaultTimeouts,
  type Effort,
  efforts,
  findBaseUrlProblem,
  findDimension,
  findKeyProblem
} from "@tapeline/openai/options"
import { Redacted, Schema } from "effect"
import { integerVariable, millisecondsVariable } from "./settingSchemas.ts"

const usd = Schema.String.check(
  Schema.isPattern(/^\d{1,6}(\.\d{1,6})?$/u, { expected: "USD per million tokens, such as 1.25" })
)

const checkedBy = (problemOf: (text: string) => string | undefined) =>
  Schema.String.check(Schema.makeFilter((text: string) => problemOf(text) ?? true))

export const openAiVariables = {
  OPENAI_API_KEY: Schema.optionalKey(checkedBy(findKeyProblem)),
  OPENAI_BASE_URL: Schema.optionalKey(checkedBy(findBaseUrlProblem)),
  OPENAI_MODEL: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,200}$/u, { expected: "a model's name, without a space" }))
  ),
  OPENAI_API: Schema.optionalKey(Schema.Literals(["chat", "responses"]).annotate({ expected: "chat or responses" })),
  OPENAI_CONTEXT_TOKENS: Schema.optionalKey(
    integerVariable(4_000, 10_000_000, "a number of tokens from 4000 to 10000000")
  ),
  OPENAI_READS_IMAGES: Schema.optionalKey(Schema.Literals(["true", "false"]).annotate({ expected: "true or false" })),
  OPENAI_REASONING_EFFORT: Schema.optionalKey(
    Schema.Literals(efforts).annotate({ expected: `one of ${efforts.join(", ")}` })
  ),
  OPENAI_INPUT_USD: Schema.optionalKey(usd),
  OPENAI_CACHED_INPUT_USD: Schema.optionalKey(usd),
  OPENAI_OUTPUT_USD: Schema.optionalKey(usd),
  OPENAI_CONNECT_TIMEOUT_MS: Schema.optionalKey(millisecondsVariable(100)),
  OPENAI_FIRST_BYTE_TIMEOUT_MS: Schema.optionalKey(millisecondsVariable(100)),
  OPENAI_IDLE_TIMEOUT_MS: Schema.optionalKey(millisecondsVariable(100)),
  OPENAI_SILENCE_TIMEOUT_MS: Schema.optionalKey(millisecondsVariable(100)),
  OPENAI_EMBEDDING_MODEL: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,200}$/u, { expected: "a model's name, without a space" }))
  ),
  OPENAI_EMBEDDING_DIMENSION: Schema.optionalKey(integerVariable(1, 4_096, "a number from 1 to 4096"))
} as const

type OpenAiEnvironment = Schema.Struct<typeof openAiVariables>["Type"]

export interface OpenAiSettings {
  readonly model: OpenAiModelOptions
  /**
   * The maximum time in ms for which the model may send nothing in one step; undefined for the default of
   * `@tapeline/core`.
   */
  readonly silenceMs: number | undefined
  /** The embeddings of a provider, or undefined for local embeddings. */
  readonly embeddings: OpenAiEmbeddingsOptions | undefined
}

/** The OpenAI model that is used if only an API key is set. */
const defaultModel = "gpt-6.1-terra"

interface Problem {
  readonly variable: string
  readonly message: string
}

const openAiNames = Object.keys(openAiVariables)

/** Returns the problems of environment variables that are valid on their own but not together. */
const findProblems = (environment: OpenAiEnvironment): ReadonlyArray<Problem> => {
  const isSet = (name: string) => Object.hasOwn(environment, name)
  const problems: Array<Problem> = []
  const addProblem = (variable: string, message: string) => problems.push({ variable, message })
  if (!isSet("OPENAI_API_KEY") && !isSet("OPENAI_BASE_URL")) {
    for (const name of openAiNames.filter(isSet)) {
      addProblem(name, "requires OPENAI_API_KEY or OPENAI_BASE_URL; set one of them, or remove this")
    }
    return problems
  }
  if (isSet("OPENAI_BASE_URL") && !isSet("OPENAI_MODEL")) {
    addProblem("OPENAI_MODEL", "must name a model at OPENAI_BASE_URL")
  }
  if (isSet("OPENAI_INPUT_USD") !== isSet("OPENAI_OUTPUT_USD")) {
    addProblem(
      isSet("OPENAI_INPUT_USD") ? "OPENAI_OUTPUT_USD" : "OPENAI_INPUT_USD",
      "is required, because prices need both input and output"
    )
  }
  if (isSet("OPENAI_CACHED_INPUT_USD") && !isSet("OPENAI_INPUT_USD")) {
    addProblem("OPENAI_CACHED_INPUT_USD", "requires OPENAI_INPUT_USD and OPENAI_OUTPUT_USD; set them, or remove this")
  }
  const embeddingModel = environment.OPENAI_EMBEDDING_MODEL
  if (embeddingModel === undefined && isSet("OPENAI_EMBEDDING_DIMENSION")) {
    addProblem("OPENAI_EMBEDDING_DIMENSION", "requires OPENAI_EMBEDDING_MODEL; set it, or remove this")
  }
  if (
    embeddingModel !== undefined && !isSet("OPENAI_EMBEDDING_DIMENSION") && findDimension(embeddingModel) === undefined
  ) {
    addProblem("OPENAI_EMBEDDING_DIMENSION", "must be the number of dimensions of this OPENAI_EMBEDDING_MODEL")
  }
  return problems
}

const pricesOf = (environment: OpenAiEnvironment): OpenAiModelOptions["prices"] => {
  const { OPENAI_CACHED_INPUT_USD: cached, OPENAI_INPUT_USD: input, OPENAI_OUTPUT_USD: output } = environment
  if (input === undefined || output === undefined) return undefined
  return {
    inputUsd: Number(input),
    outputUsd: Number(output),
    ...(cached === undefined ? {} : { cachedInputUsd: Number(cached) })
  }
}

/** Returns the provider settings, or undefined if no variable is set, and the problems of the environment variables. */
export const openAiSettingsOf = (
  environment: OpenAiEnvironment
): { readonly settings: OpenAiSettings | undefined; readonly problems: ReadonlyArray<Problem> } => {
  const problems = findProblems(environment)
  const apiKey = environment.OPENAI_API_KEY
  if (problems.length > 0 || (apiKey === undefined && environment.OPENAI_BASE_URL === undefined)) {
    return { settings: undefined, problems }
  }
  const silenceMs = environment.OPENAI_SILENCE_TIMEOUT_MS
  const idleMs = environment.OPENAI_IDLE_TIMEOUT_MS ?? defaultTimeouts.idleMs
  const timeouts = {
    connectMs: environment.OPENAI_CONNECT_TIMEOUT_MS,
    firstByteMs: environment.OPENAI_FIRST_BYTE_TIMEOUT_MS,
    idleMs: silenceMs === undefined ? environment.OPENAI_IDLE_TIMEOUT_MS : Math.min(idleMs, silenceMs)
  }
  const provider = {
    apiKey: apiKey === undefined ? undefined : Redacted.make(apiKey),
    baseUrl: environment.OPENAI_BASE_URL,
    timeouts: Object.fromEntries(Object.entries(timeouts).filter(([, ms]) => ms !== undefined))
  }
  const effort: Effort | undefined = environment.OPENAI_REASONING_EFFORT
  const images = environment.OPENAI_READS_IMAGES
  return {
    problems,
    settings: {
      silenceMs: silenceMs ?? environment.OPENAI_FIRST_BYTE_TIMEOUT_MS,
      model: {
        ...provider,
        model: environment.OPENAI_MODEL ?? defaultModel,
        api: environment.OPENAI_API,
        contextTokens: environment.OPENAI_CONTEXT_TOKENS,
        readsImages: images === undefined ? undefined : images === "true",
        reasoningEffort: effort,
        prices: pricesOf(environment)
      },
      embeddings: environment.OPENAI_EMBEDDING_MODEL === undefined ? undefined : {
        ...provider,
        model: environment.OPENAI_EMBEDDING_MODEL,
        dimension: environment.OPENAI_EMBEDDING_DIMENSION
      }
    }
  }
}
