import type { Language, Scope } from "@tapeline/core"
import type { Schema } from "effect"

/** A position in the user's journal before the question, which is closed if the position has an exit. */
export interface RecordedPosition {
  readonly coin: string
  readonly side: "long" | "short"
  readonly leverage: number
  readonly size_usd: number
  readonly entry: number
  readonly stop: number
  readonly exit?: number
}

/** The messages of a conversation, of which only the reply to the last message is scored. */
type Messages = readonly [...ReadonlyArray<string>, string]

export interface Question {
  readonly id: string
  readonly intent: string
  readonly messages: Readonly<Record<Language, Messages>>
  readonly coin?: string
  readonly facts?: Readonly<Record<string, Schema.Json>>
  /**
   * The scopes of the API key with which the question is asked. The default scopes are `read:market` and `agent:chat`.
   */
  readonly scopes?: ReadonlyArray<Scope>
  readonly journal?: ReadonlyArray<RecordedPosition>
  /** The name of the tool that the question needs. If the tool does not exist, the question is skipped. */
  readonly requiredTool?: string
  /** The tools that the model must call, each with arguments that the call must contain. */
  readonly requiredCalls: ReadonlyArray<readonly [tool: string, args?: Readonly<Record<string, Schema.Json>>]>
  readonly forbiddenTools?: "any" | ReadonlyArray<string>
  /**
   * A number to quote has two parts: the name of the tool, and the path in the tool's result. Each number is identified
   * by a tool and a path in the tool's result. The answer may state a rounded number.
   */
  readonly quotedValues: ReadonlyArray<readonly [tool: string, path: string]>
  /** The patterns that the answer must match. The same patterns apply to all languages. */
  readonly requiredPatterns?: ReadonlyArray<RegExp>
  readonly forbiddenPatterns?: ReadonlyArray<RegExp>
}

type QuestionFields =
  & Readonly<Record<Language, string | Messages>>
  & Partial<Omit<Question, "id" | "intent" | "messages">>

const toMessages = (text: string | Messages): Messages => typeof text === "string" ? [text] : text

export const makeQuestion = (id: string, intent: string, { en, ko, ru, ...fields }: QuestionFields): Question => ({
  id,
  intent,
  messages: { en: toMessages(en), ko: toMessages(ko), ru: toMessages(ru) },
  requiredCalls: [],
  quotedValues: [],
  ...fields
})
