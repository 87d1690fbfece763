import { Redacted, Schema } from "effect"
import type { Agent, Dispatcher } from "undici"

/** The prices of a provider, in USD per million tokens. */
export interface Prices {
  readonly inputUsd: number
  /** The price of input that the provider had cached; `inputUsd` by default. */
  readonly cachedInputUsd?: number
  /** The price of output, including reasoning. */
  readonly outputUsd: number
}

/** The timeouts of requests to a provider. */
export interface Timeouts {
  /** The maximum time until a connection is open, in ms; 10 s by default. */
  readonly connectMs?: number
  /** The maximum time from the request to the first byte of the response's body, in ms; 2 minutes by default. */
  readonly firstByteMs?: number
  /** The maximum time between two pieces of a response, including keep-alive comments, in ms; 1 minute by default. */
  readonly idleMs?: number
}

/**
 * The URL and the connection settings of a provider. Environment variables can add only the headers in
 * `OPENAI_CUSTOM_HEADERS`.
 */
export interface ProviderOptions {
  /** The API key, sent as a bearer token; local servers need no key. */
  readonly apiKey?: Redacted.Redacted<string> | undefined
  /** The base URL up to and including the version, such as `http://127.0.0.1:11434/v1`; OpenAI's own URL by default. */
  readonly baseUrl?: string | undefined
  readonly timeouts?: Timeouts | undefined
  /** Makes the connections to the provider, for example through a proxy; connections are direct by default. */
  readonly makeDispatcher?: ((options: Agent.Options) => Dispatcher) | undefined
}

export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const
export type Effort = (typeof efforts)[number]

export interface OpenAiModelOptions extends ProviderOptions {
  readonly model: string
  /**
   * The API of requests: `chat` for Chat Completions, or `responses` for OpenAI's newer API. By default `responses` at
   * the URLs of OpenAI and Azure, whose current models call no tools in Chat Completions, and `chat` elsewhere.
   */
  readonly api?: "chat" | "responses" | undefined
  /** The maximum number of tokens that the model reads and writes in one request; 128,000 by default. */
  readonly contextTokens?: number | undefined
  /** Whether the model reads images; true by default. */
  readonly readsImages?: boolean | undefined
  /**
   * The reasoning effort of a reasoning model. Models without reasoning reject the effort. Summaries of the reasoning
   * require an effort.
   */
  readonly reasoningEffort?: Effort | undefined
  readonly prices?: Prices | undefined
  /**
   * The field for the token limit of an answer: by default `max_completion_tokens` at the URLs of OpenAI and Azure, and
   * `max_tokens` elsewhere.
   */
  readonly outputLimitField?: "max_tokens" | "max_completion_tokens" | undefined
}

/** The options of an OpenAI model or of embeddings are invalid. */
export class InvalidOpenAiOptions extends Schema.TaggedError<InvalidOpenAiOptions>()("InvalidOpenAiOptions", {
  /** The description of the invalid option, without the value of the option. */
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/** The dimensions of embedding models that can return shorter vectors on request. */
export const nativeDimensions: Readonly<Record<string, number>> = {
  "text-embedding-3-small": 1_536,
  "text-embedding-3-large": 3_072
}

/** Returns the vector dimension of an embedding model, or undefined for an unknown model. */
export const findDimension = (model: string): number | undefined =>
  model === "text-embedding-ada-002" ? 1_536 : nativeDimensions[model]

export const defaultTimeouts: Required<Timeouts> = { connectMs: 10_000, firstByteMs: 120_000, idleMs: 60_000 }

export const openAiUrl = "https://api.openai.com/v1"

export const isOpenAiUrl = (baseUrl: string | undefined): boolean =>
  baseUrl === undefined || /(^|\.)(openai\.com|openai\.azure\.com)$/u.test(new URL(baseUrl).hostname)

/**
 * Returns whether a model is OpenAI's `gpt-5.6` or later. These models reason by default, accept the effort "low", and
 * reuse the beginning of a request only up to a marked position.
 */
export const isCurrentOpenAiModel = ({ baseUrl, model }: Pick<OpenAiModelOptions, "baseUrl" | "model">): boolean => {
  const [, major = "", minor = "0"] = /^gpt-(\d+)(?:\.(\d+))?(?:-|$)/u.exec(model) ?? []
  return isOpenAiUrl(baseUrl) && (Number(major) > 5 || (major === "5" && Number(minor) >= 6))
}

/** Returns the problem of a base URL, or undefined for a valid URL. */
export const findBaseUrlProblem = (baseUrl: string): string | undefined => {
  if (!URL.canParse(baseUrl)) return "the base URL is not a valid address"
  const { hash, password, protocol, search, username } = new URL(baseUrl)
  if (protocol !== "http:" && protocol !== "https:") return "the base URL must begin with http:// or https://"
  if (username !== "" || password !== "") {
    return "the base URL must not contain a user or a password: set the key separately, which is sent as a bearer token"
  }
  if (search !== "" || hash !== "") return "the base URL must have neither a query nor a fragment"
  return undefined
}

/** Returns the problem of an API key, or undefined for a valid key. */
export const findKeyProblem = (key: string): string | undefined =>
  /^[\x21-\x7e]{1,4096}$/u.test(key) ? undefined : "the key must consist of printable ASCII characters without spaces"
