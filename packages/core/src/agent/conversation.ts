import type { Scope } from "../engine/access/scope.ts"
import type { Language } from "../engine/messages/languageCode.ts"
import type { Mode, Outcome } from "./event.ts"
import type { CheckedFigures } from "./figures/figure.ts"
import type { MediaType, ModelImage } from "./LanguageModel.ts"

/** A scope for records that belong to an account. */
export type PersonalScope = Extract<Scope, `${string}:personal`>

export const isPersonalScope = (scope: Scope): scope is PersonalScope => scope.endsWith(":personal")

/** A conversation of an account, with times in ms since 1970. */
export interface Conversation {
  readonly id: number
  readonly account: number
  readonly title: string
  readonly mode: Mode
  /** The language of the conversation's last answer, or of the first question before any answer. */
  readonly lang: Language
  readonly createdAt: number
  readonly updatedAt: number
  readonly messageCount: number
  readonly running: boolean
  /**
   * The personal scopes that the conversation's answers and reports used. Only a caller with all scopes in `scopes` may
   * read the conversation.
   */
  readonly scopes: ReadonlyArray<PersonalScope>
}

/** The metadata of an image in a list of messages. */
export interface ImageNote {
  readonly mediaType: MediaType
  readonly width: number
  readonly height: number
  readonly bytes: number
}

/** A stored image with its size in pixels. */
export interface StoredImage extends ModelImage {
  readonly width: number
  readonly height: number
}

/** A tool call of an answer. Lists of messages contain `name`, `ok` and `callId`. */
export interface ToolNote {
  readonly name: string
  readonly ok: boolean
  /** The id of the call in the answer's events and figures. Answers of earlier versions have no ids. */
  readonly callId?: string
  /**
   * The result of a call that wrote something. A new answer that replaces an old answer needs the results of the old
   * answer's writes.
   */
  readonly wrote?: string
}

/** A message of a conversation; the role `task` marks a report of a background task. */
export interface ChatMessage extends Partial<CheckedFigures> {
  readonly id: number
  readonly role: "user" | "assistant" | "task"
  readonly content: string
  readonly createdAt: number
  readonly lang: Language
  readonly images: ReadonlyArray<ImageNote>
  /** The URLs of the charts that the answer drew, in order. */
  readonly charts: ReadonlyArray<string>
  readonly tools: ReadonlyArray<ToolNote>
  readonly suggestions: ReadonlyArray<string>
  /** The outcome of an answer, or null for questions and reports. */
  readonly outcome: Outcome | null
  /** The disclaimer of the model that wrote the answer; absent if the model has none, and in other messages. */
  readonly disclaimer?: string
  /** The id of the accepted proposal that the message reports; absent in other messages. */
  readonly proposal?: string
}

/** A message to store in a conversation. */
export type NewChatMessage = Omit<ChatMessage, "id" | "createdAt" | "images"> & {
  readonly images: ReadonlyArray<StoredImage>
}

/** A summary of a conversation's messages up to and including the message `upTo`, for models with a small context. */
export interface Summary {
  readonly upTo: number
  readonly text: string
}
