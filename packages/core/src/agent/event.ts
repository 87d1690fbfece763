import { Schema } from "effect"
import { Language } from "../engine/messages/languageCode.ts"
import { figureFields } from "./figures/figure.ts"

/**
 * The style of an answer: an `analyst` answer contains only the analysis, and a `mentor` answer also explains the
 * reasoning.
 */
export const Mode = Schema.Literals(["analyst", "mentor"])
export type Mode = typeof Mode.Type

/** The outcome of a generation. */
export const Outcome = Schema.Literals(["finished", "cancelled", "failed"])
export type Outcome = typeof Outcome.Type

/** The error codes of a failed answer; logs of earlier versions may contain other codes. */
export const answerErrorCodes = {
  model_unavailable: "the model cannot be reached, or does not respond in time",
  model_refused: "the model rejected the request, so the operator has to check the configuration",
  context_exceeded: "the conversation is too long for the model",
  no_answer: "the model wrote no visible text",
  filtered: "the model's provider withheld the answer",
  broken: "an error of the service",
  account_suspended: "the account was suspended or closed",
  stopped_by_operator: "an operator of the service stopped the answer"
} as const
export type AnswerErrorCode = keyof typeof answerErrorCodes

/** The reason why a generation failed, with a message for the user in the language of the answer. */
export const AnswerError = Schema.Struct({
  code: Schema.String.annotate({
    description: Object.entries(answerErrorCodes).map(([code, meaning]) => `\`${code}\`: ${meaning}`).join("; ")
  }),
  message: Schema.String
})
export type AnswerError = typeof AnswerError.Type

/** A proposal of an answer, as the event `done` lists it. */
export const ShownProposal = Schema.Struct({
  id: Schema.String,
  tool: Schema.String,
  arguments: Schema.Json,
  summary: Schema.String.annotate({ description: "A description of the call, in the language of the answer" })
}).annotate({ description: "A call that writes nothing until the user accepts it" })
export type ShownProposal = typeof ShownProposal.Type

/** The field of an answer that contains the disclaimer of its model. */
export const disclaimerField = {
  disclaimer: Schema.optionalKey(
    Schema.String.annotate({
      description: "A note about the origin of the answer, in its language. Absent if the model has no note"
    })
  )
}

const offset = Schema.Int.annotate({
  description: "Number of UTF-16 units before this text. If the client has received more, it discards the rest"
})
const callId = Schema.String.annotate({ description: "`<step>.<index>`, assigned by the service" })

/** The data of each kind of event. An optional field without a value is omitted instead of null. */
export const eventData = {
  /** The first event of a generation, always number 1. */
  conversation: Schema.Struct({ conversation_id: Schema.Int, lang: Language, mode: Mode }),
  status: Schema.Struct({
    phase: Schema.Literals(["thinking", "calling_tools", "answering", "retrying"]),
    step: Schema.Int,
    text: Schema.String
  }),
  /** A part of the model's reasoning; `offset` counts UTF-16 units from the beginning of the step's reasoning. */
  reasoning: Schema.Struct({ step: Schema.Int, offset, text: Schema.String }),
  tool: Schema.Struct({ call_id: callId, name: Schema.String, arguments: Schema.Json, step: Schema.Int }),
  tool_done: Schema.Struct({
    call_id: callId,
    name: Schema.String,
    ok: Schema.Boolean,
    took_ms: Schema.Int,
    url: Schema.optionalKey(Schema.String),
    proposal: Schema.optionalKey(Schema.String.annotate({
      description: "The id of the proposal that the call became. It can be accepted after `done`"
    }))
  }),
  /** A part of the answer's text; `offset` counts UTF-16 units from the beginning of the answer. */
  delta: Schema.Struct({ offset, text: Schema.String }),
  done: Schema.Struct({
    conversation_id: Schema.Int,
    outcome: Outcome,
    lang: Language,
    took_ms: Schema.Int,
    credits_used: Schema.Int,
    credits_left: Schema.Int,
    url: Schema.optionalKey(Schema.String),
    error: Schema.optionalKey(AnswerError),
    proposals: Schema.optionalKey(Schema.Array(ShownProposal)),
    ...disclaimerField,
    ...figureFields
  }),
  /** Suggested follow-up questions. A `suggest` event only follows a `done` event with the outcome `finished`. */
  suggest: Schema.Struct({ questions: Schema.Array(Schema.String) })
} as const

export type EventKind = keyof typeof eventData

/** An event of a generation, with its data parsed. */
export type GenerationEvent = {
  readonly [K in EventKind]: { readonly kind: K; readonly data: (typeof eventData)[K]["Type"] }
}[EventKind]

/**
 * An event of a generation. The data of an event is serialised once, so that all readers receive identical bytes. Event
 * numbers start at 1 and have no gaps within a generation.
 */
export interface LoggedEvent {
  readonly n: number
  readonly kind: EventKind
  readonly data: string
}
