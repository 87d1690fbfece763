import { Schema } from "effect"
import type { en } from "./en.ts"

type Widen<A> = A extends string ? string : A extends (p: infer P) => string ? (p: P) => string : never

/** Every message, by key, as a text or a function of parameters, so that every language must have every key. */
export type Dictionary = { readonly [K in keyof typeof en]: Widen<(typeof en)[K]> }

/** The key of a message with its parameters, before the message is formatted in a language. */
export type Message = {
  [K in keyof Dictionary]: Dictionary[K] extends (p: infer P) => string ? { readonly key: K; readonly params: P }
    : { readonly key: K }
}[keyof Dictionary]

/** Returns whether a value has a message's key, which is enough for values that never leave the process. */
export const isMessage = (u: unknown): u is Message => typeof u === "object" && u !== null && "key" in u

/** The schema of a message as a field of an error. */
export const MessageField = Schema.declare(isMessage)

/** A message about data that no source provides, or that is too much for one read, which names what would be needed. */
export type MissingSource = Extract<Message, { readonly key: `source_missing_${string}` }>

/** A message that states why there is no data, as a whole sentence, so that every language can have its own wording. */
export type NoDataReason = Extract<Message, { readonly key: `none_${string}` }>
