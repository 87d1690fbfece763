import type { Language, Scope } from "@tapeline/core"
import type { Schema } from "effect"

/** A position in the caller's journal before the question. A position with an exit is closed. */
export interface RecordedPosition {
  readonly coin: string
  readonly side: "long" | "short"
  readonly leverage: number
  readonly size_usd: number
  readonly entry: number
  readonly stop: number
  readonly exit?: number
}

/** The messages of a conversation. The reply to the last message is scored. */
type Messages = readonly [...ReadonlyArray<string>, string]

export interface Question {
  readonly id: string
  readonly intent: string
  readonly messages: Readonly<Record<Language, Messages>>
  readonly coin?: string
  /** The value of the request field `seed_context`. */
  readonly facts?: Readonly<Record<string, Schema.Json>>
  /** The key's scopes; `read:market` and `agent:chat` by default. */
  readonly scopes?: ReadonlyArray<Scope>
  readonly journal?: ReadonlyArray<RecordedPosition>
  /** The tool without which the question is not asked. */
  readonly requiredTool?: string
  /** Tools that must be called. The given arguments must be among the arguments of the call. */
  readonly requiredCalls: ReadonlyArray<readonly [tool: string, args?: Readonly<Record<string, Schema.Json>>]>
  /** Tools that must not be called; `any` forbids all tools. */
  readonly forbiddenTools?: "any" | ReadonlyArray<string>
  /** Numbers that the answer must quote, by their path in the tool's result, possibly rounded. */
  readonly quotedValues: ReadonlyArray<readonly [tool: string, path: string]>
  /** Patterns that must all match the answer, in any language. */
  readonly requiredPatterns?: ReadonlyArray<RegExp>
  readonly forbiddenPatterns?: ReadonlyArray<RegExp>
}

type QuestionFields =
  & Readonly<Record<Language, string | Messages>>
  & Partial<Omit<Question, "id" | "intent" | "messages">>

const toMessages = (text: string | Messages): Messages => typeof text === "string" ? [text] : text

/** Makes a question. A text instead of a list is a conversation of one message. */
export const makeQuestion = (id: string, intent: string, { en, ko, ru, ...more }: QuestionFields): Question => ({
  id,
  intent,
  messages: { en: toMessages(en), ko: toMessages(ko), ru: toMessages(ru) },
  requiredCalls: [],
  quotedValues: [],
  ...more
})
