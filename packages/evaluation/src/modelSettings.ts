import type { OpenAiModelOptions } from "@tapeline/openai"
import { problemOfBaseUrl, problemOfKey } from "@tapeline/openai/options"
import { Redacted } from "effect"

type Environment = Readonly<Record<string, string | undefined>>

/** The model's options, null for the offline analyst, or the problems of the settings. */
export type ModelSettings =
  | { readonly options: OpenAiModelOptions | null }
  | { readonly problems: ReadonlyArray<string> }

const milliseconds = {
  connectMs: "OPENAI_CONNECT_TIMEOUT_MS",
  firstByteMs: "OPENAI_FIRST_BYTE_TIMEOUT_MS",
  idleMs: "OPENAI_IDLE_TIMEOUT_MS"
} as const

const isCount = (text: string): boolean => /^[1-9]\d{0,8}$/.test(text)

/**
 * Reads the model from the server's variables. An empty variable counts as not set. A key without a model selects no
 * provider: many shells have a key set, and an evaluation costs money.
 */
export const modelSettingsOf = (environment: Environment): ModelSettings => {
  const read = (name: string): string | undefined => environment[name] || undefined
  const [model, key, baseUrl] = [read("OPENAI_MODEL"), read("OPENAI_API_KEY"), read("OPENAI_BASE_URL")]
  if (model === undefined) {
    return baseUrl === undefined
      ? { options: null }
      : { problems: ["OPENAI_MODEL must name a model at OPENAI_BASE_URL"] }
  }
  const [api, context, images] = [read("OPENAI_API"), read("OPENAI_CONTEXT_TOKENS"), read("OPENAI_READS_IMAGES")]
  const waits = Object.entries(milliseconds).flatMap(([field, name]) => {
    const text = read(name)
    return text === undefined ? [] : [{ field, name, text }]
  })
  const wrong = (name: string, problem: string | undefined) => problem === undefined ? [] : [`${name}: ${problem}`]
  const problems = [
    ...wrong("OPENAI_API_KEY", key === undefined ? undefined : problemOfKey(key)),
    ...wrong("OPENAI_BASE_URL", baseUrl === undefined ? undefined : problemOfBaseUrl(baseUrl)),
    ...wrong(
      "OPENAI_API",
      api === undefined || api === "chat" || api === "responses" ? undefined : "chat or responses"
    ),
    ...wrong("OPENAI_CONTEXT_TOKENS", context === undefined || isCount(context) ? undefined : "a number of tokens"),
    ...wrong(
      "OPENAI_READS_IMAGES",
      images === undefined || /^(?:true|false)$/.test(images) ? undefined : "true or false"
    ),
    ...waits.flatMap(({ name, text }) => wrong(name, isCount(text) ? undefined : "milliseconds"))
  ]
  if (problems.length > 0) return { problems }
  return {
    options: {
      model,
      apiKey: key === undefined ? undefined : Redacted.make(key),
      baseUrl,
      api: api === "responses" ? "responses" : "chat",
      contextTokens: context === undefined ? undefined : Number(context),
      readsImages: images === undefined ? undefined : images === "true",
      patience: Object.fromEntries(waits.map(({ field, text }) => [field, Number(text)]))
    }
  }
}
