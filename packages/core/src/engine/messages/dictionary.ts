import { Schema } from "effect"
import type { en } from "./en.ts"
import type { Widen } from "./widen.ts"

/** The type of a language's messages. Every language must define every key of the English messages. */
export type Dictionary = { readonly [K in keyof typeof en]: Widen<(typeof en)[K]> }

/** The key of a message with its parameters, before the message is formatted in a language. */
export type Message = {
  [K in keyof Dictionary]: Dictionary[K] extends (p: infer P) => string ? { readonly key: K; readonly params: P }
    : { readonly key: K }
}[keyof Dictionary]

/**
 * Returns whether a value is an object with a `key`. The value of `key` is not checked, because messages never leave
 * the process.
 */
export const isMessage = (u: unknown): u is Message => typeof u === "object" && u !== null && "key" in u

/** The schema of an error's field that contains a message. */
export const MessageField = Schema.declare(isMessage)

/**
 * A message for data that no source provides, or that is too large for one read. The message states what the operator
 * or caller must do to get the data.
 */
export type MissingSource = Extract<Message, { readonly key: `source_missing_${string}` }>

/** A whole sentence that states why there is no data. Each language has its own wording of the sentence. */
export type NoDataReason = Extract<Message, { readonly key: `none_${string}` }>
