import { Context, Schema, type Stream } from "effect"
import type { Language } from "../engine/messages/languageCode.ts"
import type { CatalogueCall } from "../engine/tool/catalogue.ts"
import type { Mode } from "./event.ts"
import type { WriteProposal } from "./writes.ts"

/** An image as it is given to a model: checked, of a type that `MediaType` names. */
export interface ModelImage {
  readonly mediaType: MediaType
  readonly bytes: Uint8Array
}

export const MediaType = Schema.Literals(["image/png", "image/jpeg", "image/webp", "image/gif"])
export type MediaType = typeof MediaType.Type

/** A call that a model asked for. `arguments` is what it wrote, which may be no JSON. */
export interface AskedCall {
  /** Ours (`<step>.<index>`). An adapter whose provider wants ids of its own form maps them. */
  readonly callId: string
  readonly name: string
  readonly arguments: string
}

/** One turn of what a model reads, oldest first. Every asked call is answered by a `Result` right after its turn. */
export type ModelTurn =
  | { readonly _tag: "User"; readonly text: string; readonly images: ReadonlyArray<ModelImage> }
  | { readonly _tag: "Assistant"; readonly text: string; readonly calls: ReadonlyArray<AskedCall> }
  | {
    readonly _tag: "Result"
    readonly callId: string
    readonly name: string
    readonly ok: boolean
    /** The result as JSON, thinned to its budget; of a failed call its error. */
    readonly text: string
  }

/**
 * The question without prose around it, for models that are programs and read no prompt. A model that reads `turns`
 * needs none of it.
 */
export interface Brief {
  readonly lang: Language
  readonly mode: Mode
  /** The user's own words. */
  readonly question: string
  /** The ticker that the caller named, if any. */
  readonly coin: string | null
  /** Facts that the caller already has, by the names of the tools that tell them, and others. */
  readonly facts: Readonly<Record<string, Schema.Json>>
  /** The earlier questions of the conversation, oldest first, with what they were answered. */
  readonly earlier: ReadonlyArray<{ readonly question: string; readonly answer: string }>
  /** Images that came with the question. */
  readonly images: number
  /** Calls that the answer before had proposed and that the question accepts: they may be made, as they stand here. */
  readonly accepted: ReadonlyArray<WriteProposal>
}

/** What a model is asked. */
export interface ModelRequest {
  /**
   * `answer`: the next step of an answer. `suggest`: up to three follow-up questions, one on a line, in the answer's
   * language. `summary`: what must be remembered of `turns`.
   */
  readonly purpose: "answer" | "suggest" | "summary"
  /** What the model is told before all turns. */
  readonly instructions: string
  readonly turns: ReadonlyArray<ModelTurn>
  /** What it may call; none at a bound, and for purposes other than `answer`. */
  readonly tools: ReadonlyArray<CatalogueCall>
  readonly brief: Brief
  /** The step of the answer, from 1. */
  readonly step: number
  /** The most tokens that it may write. */
  readonly maxOutputTokens: number
  /**
   * How long the provider may be silent before its answer begins; then the request fails with `ModelTimeout`. An
   * adapter may give up sooner. If it is left out, the adapter decides.
   */
  readonly silenceMs?: number | undefined
}

/** What a step consumed, as the model's provider reports it; estimated by the caller where it does not. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of the input, what the provider had cached. */
  readonly cachedTokens: number
  /** Of the output, what was reasoning. */
  readonly reasoningTokens: number
}

/** A part of what a model writes. No text is split within a surrogate pair. */
export type ModelPart =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Reasoning"; readonly text: string }
  /** A call, once its arguments are whole. */
  | { readonly _tag: "Call"; readonly name: string; readonly arguments: string }
  /** The last part. `Length`: it had to stop at `maxOutputTokens`. `usage` is null where none was reported. */
  | { readonly _tag: "End"; readonly reason: "Stop" | "Calls" | "Length" | "Filtered"; readonly usage: Usage | null }

/** The model's provider wants fewer requests. */
export class ModelRateLimited extends Schema.TaggedError<ModelRateLimited>()("ModelRateLimited", {
  /** What it said of when to come again. */
  retryAfterMs: Schema.NullOr(Schema.Finite)
}) {
  readonly retryable = true
}

/** The provider cannot be reached, answered with an error of its own, or broke off in the middle. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  /** What is known of it, without secrets. */
  detail: Schema.String
}) {
  readonly retryable = true
}

/** Nothing came for too long. */
export class ModelTimeout extends Schema.TaggedError<ModelTimeout>()("ModelTimeout", { waitedMs: Schema.Finite }) {
  readonly retryable = true
}

/** What was given is beyond what the model can read. A shorter context may do. */
export class ContextExceeded extends Schema.TaggedError<ContextExceeded>()("ContextExceeded", {
  detail: Schema.String
}) {
  readonly retryable = false
}

/** A content filter of the provider rejected the request, or stopped the answer. */
export class ContentFiltered extends Schema.TaggedError<ContentFiltered>()("ContentFiltered", {
  detail: Schema.String
}) {
  readonly retryable = false
}

/** The provider refuses the request as it is: a wrong key, no such model, a request that it does not understand. */
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
 * What writes answers.
 *
 * - A stream is cold: each run is a request. It ends right after its one `End`, or fails; one that breaks off without
 *   `End` fails with `ModelUnavailable`. A stream never dies of what a provider sent.
 * - Interrupting the run stops the request at its provider at once, so that nothing more is consumed.
 * - It does not try again by itself: whoever asks knows what was already shown, and decides by `retryable`.
 * - Secrets stand in no error.
 * - A model may ask for tools that it was not given and arguments that are no JSON: the caller judges both.
 */
export class LanguageModel extends Context.Service<LanguageModel, {
  /** As it is shown to operators: `gpt-5.1`, `offline-analyst`. */
  readonly name: string
  /** The most tokens that it reads and writes in one request. */
  readonly contextTokens: number
  /** Whether it sees images. One that does not is told how many there were. */
  readonly readsImages: boolean
  readonly stream: (request: ModelRequest) => Stream.Stream<ModelPart, ModelError>
}>()("@tapeline/core/agent/LanguageModel") {}
