import { Schema } from "effect"
import type { en } from "./en.ts"

type Widen<A> = A extends string ? string : A extends (p: infer P) => string ? (p: P) => string : never

/** Every message, by key: a text, or a function of its parameters. A language that lacks a key does not compile. */
export type Dictionary = { readonly [K in keyof typeof en]: Widen<(typeof en)[K]> }

/** A message that still has to be said in somebody's language. */
export type Message = {
  [K in keyof Dictionary]: Dictionary[K] extends (p: infer P) => string ? { readonly key: K; readonly params: P }
    : { readonly key: K }
}[keyof Dictionary]

/** A message as a field of an error. Only its key tells it: messages never leave the process unsaid. */
export const MessageField = Schema.declare((u: unknown): u is Message =>
  typeof u === "object" && u !== null && "key" in u
)

/** What nobody tells, or not at once, and what it would need. */
export type MissingSource = Extract<Message, { readonly key: `source_missing_${string}` }>

/** Why there is nothing to tell: whole sentences, so that every language has its own. */
export type NoDataReason = Extract<Message, { readonly key: `none_${string}` }>
