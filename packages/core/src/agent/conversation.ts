import type { Schema } from "effect"
import type { Scope } from "../engine/access/scope.ts"
import type { Language } from "../engine/messages/languageCode.ts"
import type { Mode, Outcome } from "./event.ts"
import type { MediaType, ModelImage } from "./LanguageModel.ts"

/** A scope of records that belong to an account. */
export type PersonalScope = Extract<Scope, `${string}:personal`>

export const isPersonal = (scope: Scope): scope is PersonalScope => scope.endsWith(":personal")

/** A conversation of an account. Times are epoch ms. */
export interface Conversation {
  readonly id: number
  readonly account: number
  readonly title: string
  readonly mode: Mode
  /** The language of its last answer; of its first question until there is one. */
  readonly lang: Language
  readonly createdAt: number
  /** When something was last said in it. */
  readonly updatedAt: number
  readonly messageCount: number
  /** Whether a generation of it runs. */
  readonly running: boolean
  /** The personal scopes that its answers and task reports used. A caller needs all of them to read it. */
  readonly scopes: ReadonlyArray<PersonalScope>
}

/** An image of a message, as its listing tells it. */
export interface ImageNote {
  readonly mediaType: MediaType
  readonly width: number
  readonly height: number
  readonly bytes: number
}

/** An image as it is kept. */
export interface KeptImage extends ModelImage {
  readonly width: number
  readonly height: number
}

/** A tool that an answer called. What follows `ok` is kept, and not shown in lists. */
export interface ToolNote {
  readonly name: string
  readonly ok: boolean
  /** Of a call that wrote something: its result, as the model read it, for an answer that replaces this one. */
  readonly wrote?: string
  /** Of a call that would have written, and that the user had not asked for: its arguments. Of `propose_write` too. */
  readonly proposed?: Schema.Json
}

/** What was said in a conversation. `task` is what a background task reports. */
export interface ChatMessage {
  readonly id: number
  readonly role: "user" | "assistant" | "task"
  readonly content: string
  readonly createdAt: number
  readonly lang: Language
  readonly images: ReadonlyArray<ImageNote>
  /** Addresses of the charts that it drew, in order. */
  readonly charts: ReadonlyArray<string>
  readonly tools: ReadonlyArray<ToolNote>
  readonly suggestions: ReadonlyArray<string>
  /** Of an answer; null of others. */
  readonly outcome: Outcome | null
}

/** A message that is to be kept. */
export type NewChatMessage = Omit<ChatMessage, "id" | "createdAt" | "images"> & {
  readonly images: ReadonlyArray<KeptImage>
}

/**
 * What a conversation's older messages came to, for models whose context they no longer fit: everything up to and with
 * the message `upTo`.
 */
export interface Summary {
  readonly upTo: number
  readonly text: string
}
