import { Context, Schema, type Stream } from "effect"
import type { Language } from "../engine/messages/languageCode.ts"
import type { CallableEntry } from "../engine/tool/catalogue.ts"
import type { Mode } from "./event.ts"

/** A validated image for a model. */
export interface ModelImage {
  readonly mediaType: MediaType
  readonly bytes: Uint8Array
}

export const MediaType = Schema.Literals(["image/png", "image/jpeg", "image/webp", "image/gif"])
export type MediaType = typeof MediaType.Type

/** A tool call that a model requested, with the model's text in `arguments`, which may be invalid JSON. */
export interface RequestedCall {
  /**
   * The id of the call in the form `<step>.<index>`. An adapter converts `callId` if its provider requires another
   * format.
   */
  readonly callId: string
  readonly name: string
  readonly arguments: string
}

/** One turn of a model's input. After an `Assistant` turn, one `Result` turn follows for each of its calls. */
export type ModelTurn =
  | { readonly _tag: "User"; readonly text: string; readonly images: ReadonlyArray<ModelImage> }
  | {
    readonly _tag: "Assistant"
    readonly text: string
    readonly calls: ReadonlyArray<RequestedCall>
    /** The `providerState` of the step's `End`. Absent in answers of earlier questions. */
    readonly providerState?: string | undefined
  }
  | {
    readonly _tag: "Result"
    readonly callId: string
    readonly name: string
    readonly ok: boolean
    /** The tool result as JSON, shortened to a token budget, or the error of a failed call. */
    readonly text: string
  }

/** The question and its context as data, for models that do not read the prompt. */
export interface Brief {
  readonly lang: Language
  readonly mode: Mode
  readonly question: string
  readonly coin: string | null
  /** Facts that the caller already has. The key of a fact is usually the name of the tool that returns the fact. */
  readonly facts: Readonly<Record<string, Schema.Json>>
  /** The earlier questions of the conversation with their answers, oldest first. */
  readonly earlier: ReadonlyArray<{ readonly question: string; readonly answer: string }>
  readonly images: number
  /** The proposal that the question accepted, with its result; null if the question accepted no proposal. */
  readonly accepted: AcceptedCall | null
}

/** A proposed call that the user accepted and the service carried out, or tried to carry out. */
export interface AcceptedCall {
  readonly tool: string
  readonly arguments: Schema.Json
  readonly summary: string
  readonly ok: boolean
  /** The `data` of the tool's result, or `{ error }`. */
  readonly result: Schema.Json
}

/** A request to a language model. */
export interface ModelRequest {
  /**
   * The task of the model:
   *
   * - `answer`: the model writes the next step of an answer.
   * - `suggest`: the model writes up to three follow-up questions, one per line, in the answer's language.
   * - `summary`: the model summarises the messages in `turns`.
   */
  readonly purpose: "answer" | "suggest" | "summary"
  /** The system prompt, which is equal for all questions, so that a provider can cache `tools` and `instructions`. */
  readonly instructions: string
  /**
   * Information for this question only, such as the time, the language and given facts, or an empty text. An adapter
   * sends `placeContext(request)` instead of `turns`, so that the provider can cache the earlier turns.
   */
  readonly context: string
  readonly turns: ReadonlyArray<ModelTurn>
  /**
   * The tools that the model may call. `tools` is empty if the answer has reached a limit, or if `purpose` is not
   * `answer`.
   */
  readonly tools: ReadonlyArray<CallableEntry>
  readonly brief: Brief
  /** The number of the answer's step, starting at 1. */
  readonly step: number
  readonly maxOutputTokens: number
  /**
   * The time within which the provider's answer must begin, in ms. If the answer begins later, the request fails with
   * `ModelTimeout`. An adapter may use a shorter timeout. If `silenceMs` is absent, the adapter chooses the timeout.
   */
  readonly silenceMs?: number | undefined
}

/** Returns the turns of a request, with `context` at the end of the last `User` turn. */
export const placeContext = ({ context, turns }: ModelRequest): ReadonlyArray<ModelTurn> => {
  const last = turns.findLastIndex(({ _tag }) => _tag === "User")
  return context === ""
    ? turns
    : turns.map((turn, i) => i === last ? { ...turn, text: `${turn.text}\n\n${context}` } : turn)
}

/** The tokens that a step used, as reported by the model's provider. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** The number of input tokens that the provider had cached. */
  readonly cachedTokens: number
  /** The number of output tokens that were reasoning. */
  readonly reasoningTokens: number
}

/** A part of a model's output, whose text is never split within a surrogate pair. */
export type ModelPart =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Reasoning"; readonly text: string }
  /** A requested tool call with complete arguments. */
  | { readonly _tag: "Call"; readonly name: string; readonly arguments: string }
  /**
   * The last part of the output, with a null `usage` if the provider reported no usage. The reason `Length` means that
   * the output reached `maxOutputTokens`.
   */
  | {
    readonly _tag: "End"
    readonly reason: "Stop" | "Calls" | "Length" | "Filtered"
    readonly usage: Usage | null
    /**
     * Data that the provider requires in the next request of the same answer, such as its reasoning between tool calls.
     * Only the adapter reads the text. The next requests contain it in the `Assistant` turn of the step. Other
     * processes, which may use another model, must be able to ignore it.
     */
    readonly providerState?: string | undefined
  }

/** The model's provider rejected the request because of its rate limit. */
export class ModelRateLimited extends Schema.TaggedError<ModelRateLimited>()("ModelRateLimited", {
  /** The delay before a retry that the model's provider requested, in ms, or null if none was requested. */
  retryAfterMs: Schema.NullOr(Schema.Finite)
}) {
  readonly retryable = true
}

/** The model's provider is unreachable, returned a server error, or broke off its response. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  detail: Schema.String
}) {
  readonly retryable = true
}

/** The model's provider sent nothing for `waitedMs`. */
export class ModelTimeout extends Schema.TaggedError<ModelTimeout>()("ModelTimeout", { waitedMs: Schema.Finite }) {
  readonly retryable = true
}

/** The request is too long for the model, but may succeed with a shorter context. */
export class ContextExceeded extends Schema.TaggedError<ContextExceeded>()("ContextExceeded", {
  detail: Schema.String
}) {
  readonly retryable = false
}

/** A content filter of the model's provider rejected the request, or stopped the answer. */
export class ContentFiltered extends Schema.TaggedError<ContentFiltered>()("ContentFiltered", {
  detail: Schema.String
}) {
  readonly retryable = false
}

/** The model's provider rejected the request permanently, for example because of a wrong key or an unknown model. */
export class ModelRefused extends Schema.TaggedError<ModelRefused>()("ModelRefused", { detail: Schema.String }) {
  readonly retryable = false
}

export const ModelError = Schema.Union([
  ModelRateLimited,
  ModelUnavailable,
  ModelTimeout,
  ContextExceeded,
  ContentFiltered,
  ModelRefused
])
export type ModelError = typeof ModelError.Type

/**
 * The language model that writes answers.
 *
 * - A stream is cold: each run is one request.
 * - A stream ends directly after its single `End`, or fails with `ModelUnavailable` if a response breaks off without
 *   `End`.
 * - Invalid output of a provider never causes a defect.
 * - Interrupting a stream cancels the request at its provider.
 * - A stream does not retry, because only the caller knows which parts were already shown.
 * - Errors contain no secrets.
 * - The caller checks tool names and arguments, because a model may request unknown tools and arguments that are not
 *   JSON.
 */
export class LanguageModel extends Context.Service<LanguageModel, {
  /** The model's name that operators see, such as `gpt-6.1-terra` or `offline-analyst`. */
  readonly name: string
  /** The maximum number of tokens of one request, input and output together. */
  readonly contextTokens: number
  /** Whether the model reads images; if false, the prompt states only the number of images. */
  readonly readsImages: boolean
  /** A note about the origin of the model's answers, which every finished answer carries as the field `disclaimer`. */
  readonly disclaimer?: Readonly<Record<Language, string>>
  readonly stream: (request: ModelRequest) => Stream.Stream<ModelPart, ModelError>
}>()("@tapeline/core/agent/LanguageModel") {}
