import { Schema } from "effect"
import type { en } from "./en.ts"

type Widen<A> = A extends string ? string : A extends (p: infer P) => string ? (p: P) => string : never

/** Every message, by key: a text, or a function of its parameters. A language that lacks a key does not compile. */
export type Dictionary = { readonly [K in keyof typeof en]: Widen<(typeof en)[K]> }

/** A message by key, with its parameters, before it is formatted in a language. */
export type Message = {
  [K in keyof Dictionary]: Dictionary[K] extends (p: infer P) => string ? { readonly key: K; readonly params: P }
    : { readonly key: K }
}[keyof Dictionary]

/** A message as a field of an error. Only the key is checked, because unformatted messages never leave the process. */
export const MessageField = Schema.declare((u: unknown): u is Message =>
  typeof u === "object" && u !== null && "key" in u
)

/** Data that no source provides, or that is too much for one read. The message names what would be needed. */
export type MissingSource = Extract<Message, { readonly key: `source_missing_${string}` }>

/** The reasons why there is no data. Each is a whole sentence, so that every language can have its own wording. */
export type NoDataReason = Extract<Message, { readonly key: `none_${string}` }>
