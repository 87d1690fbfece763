import type { Language } from "@tapeline/core/engine"
import type { Schema } from "effect"
import type { Findings } from "./Findings.ts"
import type { Reading } from "./reading/reading.ts"
import type { Format } from "./writing/format.ts"
import type { Text, Values } from "./writing/text.ts"

/** A call that an answer wants. */
export interface Planned {
  readonly name: string
  readonly arguments: Readonly<Record<string, Schema.Json>>
  /** Numbers of the question that the arguments are computed from, and do not hold. */
  readonly from?: ReadonlyArray<number>
}

export const ask = (name: string, args: Planned["arguments"] = {}): Planned => ({ name, arguments: args })

/** What a writer writes with. */
export interface Desk {
  readonly lang: Language
  readonly format: Format
  /** Null when a slot's value is not known. */
  readonly say: <K extends string>(said: Text<K>, values: Values<K>) => string | null
}

/** What one part of a question came to. Null lines say what is not known, and are left out. */
export interface Section {
  /** The conclusion, first. Null: the results do not give one. */
  readonly verdict: string | null
  readonly evidence: ReadonlyArray<string | null>
  /** What would change the view. */
  readonly change?: string | null
  /** The reasoning behind the conclusion, for `mentor`. */
  readonly why?: string | null
}

/** One kind of question: how it is known, what is asked for it, and how its answer is written. */
export interface Intent {
  readonly name: string
  readonly asked: (reading: Reading) => boolean
  /** Which others it takes the place of; a `general` one gives way to every other. */
  readonly over?: "all" | ReadonlyArray<string>
  readonly general?: boolean
  /** What is looked at and why, before the calls. */
  readonly looks?: Text<"name">
  /** All calls that are wanted, as far as is known from what was found. */
  readonly plan: (reading: Reading, found: Findings) => ReadonlyArray<Planned>
  /** Tools that write of which it stands in need, whether or not what they are to be called with is known yet. */
  readonly needs?: ReadonlyArray<string>
  readonly write: (reading: Reading, found: Findings, desk: Desk) => Section
  /** Questions that follow well. */
  readonly next: ReadonlyArray<Text<"name">>
}
