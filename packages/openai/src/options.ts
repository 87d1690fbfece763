import { Redacted, Schema } from "effect"
import type { Agent, Dispatcher } from "undici"

/** What a provider takes for tokens, in USD per million. */
export interface Prices {
  readonly inputUsd: number
  /** Of input that the provider had cached; as `inputUsd` when it is left out. */
  readonly cachedInputUsd?: number
  /** Of output, reasoning included. */
  readonly outputUsd: number
}

/** How long a provider may be silent. */
export interface Patience {
  /** Until a connection stands; 10 s when it is left out. */
  readonly connectMs?: number
  /** From the request to the first byte of the answer's body; 2 minutes when it is left out. */
  readonly firstByteMs?: number
  /** Between two pieces of an answer, comments that only keep it alive included; 1 minute when it is left out. */
  readonly idleMs?: number
}

/**
 * Where a provider is. Nothing of it is read from the environment, but for headers that the `openai` package itself
 * takes from `OPENAI_CUSTOM_HEADERS`.
 */
export interface ProviderOptions {
  /** Sent as a bearer token; local servers need none. */
  readonly apiKey?: Redacted.Redacted<string> | undefined
  /** As far as the version's part: `http://127.0.0.1:11434/v1`. OpenAI's own when it is left out. */
  readonly baseUrl?: string | undefined
  readonly patience?: Patience | undefined
  /** Makes the connections to the provider, for example through a proxy. Direct connections when it is left out. */
  readonly makeDispatcher?: ((options: Agent.Options) => Dispatcher) | undefined
}

export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const
export type Effort = (typeof efforts)[number]

export interface OpenAiModelOptions extends ProviderOptions {
  readonly model: string
  /** `chat`: Chat Completions, which all others speak too, and the default. `responses`: OpenAI's newer one. */
  readonly api?: "chat" | "responses" | undefined
  /** The most tokens that the model reads and writes in one request; 128,000 when it is left out. */
  readonly contextTokens?: number | undefined
  /** Whether it sees images; true when it is left out. */
  readonly readsImages?: boolean | undefined
  /** How long a reasoning model reasons; models that do not reason refuse it. Needed for summaries of reasoning. */
  readonly reasoningEffort?: Effort | undefined
  readonly prices?: Prices | undefined
  /**
   * What the limit of an answer is called. When it is left out: `max_completion_tokens` at OpenAI's and Azure's own
   * addresses, `max_tokens` elsewhere.
   */
  readonly outputLimitField?: "max_tokens" | "max_completion_tokens" | undefined
}

/** The options cannot be worked with. */
export class InvalidOpenAiOptions extends Schema.TaggedError<InvalidOpenAiOptions>()("InvalidOpenAiOptions", {
  /** What is wrong, without values. */
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/** Embedding models that give fewer numbers than these when they are asked to. */
export const nativeDimensions: Readonly<Record<string, number>> = {
  "text-embedding-3-small": 1_536,
  "text-embedding-3-large": 3_072
}

/** How many numbers a vector of an embedding model has, where that is known. */
export const fixedDimensionOf = (model: string): number | undefined =>
  model === "text-embedding-ada-002" ? 1_536 : nativeDimensions[model]

export const defaultPatience: Required<Patience> = { connectMs: 10_000, firstByteMs: 120_000, idleMs: 60_000 }

export const openAiUrl = "https://api.openai.com/v1"

/** What is wrong with a base URL; undefined when nothing is. */
export const problemOfBaseUrl = (baseUrl: string): string | undefined => {
  if (!URL.canParse(baseUrl)) return "the base URL is no address"
  const { hash, password, protocol, search, username } = new URL(baseUrl)
  if (protocol !== "http:" && protocol !== "https:") return "the base URL must begin with http:// or https://"
  if (username !== "" || password !== "") {
    return "the base URL must not hold a user or a password: a key is given by itself, and sent as a bearer token"
  }
  if (search !== "" || hash !== "") return "the base URL must have neither a query nor a fragment"
  return undefined
}

/** What is wrong with a key; undefined when nothing is. */
export const problemOfKey = (key: string): string | undefined =>
  /^[\x21-\x7e]{1,4096}$/u.test(key) ? undefined : "the key must be printable ASCII characters without a space"
