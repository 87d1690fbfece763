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

/** Timeouts of requests to a provider. */
export interface Timeouts {
  /** Until a connection is open; 10 s by default. */
  readonly connectMs?: number
  /** From the request to the first byte of the response's body; 2 minutes by default. */
  readonly firstByteMs?: number
  /** Between two pieces of a response, including comments that only keep it alive; 1 minute by default. */
  readonly idleMs?: number
}

/**
 * The address and connection settings of a provider. They are not read from the environment, except for headers that
 * the `openai` package itself reads from `OPENAI_CUSTOM_HEADERS`.
 */
export interface ProviderOptions {
  /** Sent as a bearer token. Local servers need none. */
  readonly apiKey?: Redacted.Redacted<string> | undefined
  /** The URL up to and including the version, such as `http://127.0.0.1:11434/v1`; OpenAI's own by default. */
  readonly baseUrl?: string | undefined
  readonly timeouts?: Timeouts | undefined
  /** Makes the connections to the provider, for example through a proxy. Connections are direct by default. */
  readonly makeDispatcher?: ((options: Agent.Options) => Dispatcher) | undefined
}

export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const
export type Effort = (typeof efforts)[number]

export interface OpenAiModelOptions extends ProviderOptions {
  readonly model: string
  /** `chat`: Chat Completions, the default, which all other providers support too. `responses`: OpenAI's newer API. */
  readonly api?: "chat" | "responses" | undefined
  /** Maximum tokens that the model reads and writes in one request; 128,000 by default. */
  readonly contextTokens?: number | undefined
  /** Whether the model reads images; true by default. */
  readonly readsImages?: boolean | undefined
  /** The effort of a reasoning model. Other models reject this option. It is required for summaries of reasoning. */
  readonly reasoningEffort?: Effort | undefined
  readonly prices?: Prices | undefined
  /**
   * The field for the token limit of an answer. The default is `max_completion_tokens` at OpenAI's and Azure's own
   * addresses, and `max_tokens` elsewhere.
   */
  readonly outputLimitField?: "max_tokens" | "max_completion_tokens" | undefined
}

/** The options are invalid. */
export class InvalidOpenAiOptions extends Schema.TaggedError<InvalidOpenAiOptions>()("InvalidOpenAiOptions", {
  /** The problem, without values of the options. */
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

/** Returns the vector dimension of an embedding model, if it is known. */
export const findDimension = (model: string): number | undefined =>
  model === "text-embedding-ada-002" ? 1_536 : nativeDimensions[model]

export const defaultTimeouts: Required<Timeouts> = { connectMs: 10_000, firstByteMs: 120_000, idleMs: 60_000 }

export const openAiUrl = "https://api.openai.com/v1"

/** Returns the problem of a base URL; undefined if it is valid. */
export const findBaseUrlProblem = (baseUrl: string): string | undefined => {
  if (!URL.canParse(baseUrl)) return "the base URL is no address"
  const { hash, password, protocol, search, username } = new URL(baseUrl)
  if (protocol !== "http:" && protocol !== "https:") return "the base URL must begin with http:// or https://"
  if (username !== "" || password !== "") {
    return "the base URL must not hold a user or a password: a key is given by itself, and sent as a bearer token"
  }
  if (search !== "" || hash !== "") return "the base URL must have neither a query nor a fragment"
  return undefined
}

/** Returns the problem of a key; undefined if it is valid. */
export const findKeyProblem = (key: string): string | undefined =>
  /^[\x21-\x7e]{1,4096}$/u.test(key) ? undefined : "the key must be printable ASCII characters without a space"
