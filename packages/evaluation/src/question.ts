import type { Language, Scope } from "@tapeline/core"
import type { Schema } from "effect"

/** A position that stands in the caller's journal before anything is asked; closed when it has an exit. */
export interface Recorded {
  readonly coin: string
  readonly side: "long" | "short"
  readonly leverage: number
  readonly size_usd: number
  readonly entry: number
  readonly stop: number
  readonly exit?: number
}

/** A question with what a good answer to it is known by. */
export interface Question {
  readonly id: string
  readonly intent: string
  /** In each language: what is asked one after another in a conversation. The last one is scored. */
  readonly ask: Readonly<Record<Language, readonly [...ReadonlyArray<string>, string]>>
  readonly coin?: string
  /** `seed_context`. */
  readonly facts?: Readonly<Record<string, Schema.Json>>
  /** Of the key; `read:market` and `agent:chat` when left out. */
  readonly scopes?: ReadonlyArray<Scope>
  readonly journal?: ReadonlyArray<Recorded>
  /** Asked only where the catalogue has this tool. */
  readonly needs?: string
  /** Tools that must be called, with arguments that must be among theirs. */
  readonly calls: ReadonlyArray<readonly [tool: string, args?: Readonly<Record<string, Schema.Json>>]>
  /** Tools that must not be called: all, or these. */
  readonly never?: "any" | ReadonlyArray<string>
  /** Numbers that must be quoted, by where the tool's result has them; rounding allowed. */
  readonly quotes: ReadonlyArray<readonly [tool: string, path: string]>
  /** What must be said, as patterns: all of them, in any language. */
  readonly says?: ReadonlyArray<RegExp>
  /** What must not be said. */
  readonly silent?: ReadonlyArray<RegExp>
}
