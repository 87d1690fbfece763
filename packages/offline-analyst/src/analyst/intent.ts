import type { Language } from "@tapeline/core/engine"
import type { Schema } from "effect"
import type { Findings } from "./Findings.ts"
import type { Reading } from "./reading/reading.ts"
import type { Format } from "./writing/format.ts"
import type { Text, Values } from "./writing/text.ts"

export interface Planned {
  readonly name: string
  readonly arguments: Readonly<Record<string, Schema.Json>>
  /** Numbers of the question from which the arguments were computed, and which the arguments do not contain. */
  readonly from?: ReadonlyArray<number>
}

export const ask = (name: string, args: Planned["arguments"] = {}): Planned => ({ name, arguments: args })

export interface Desk {
  readonly lang: Language
  readonly format: Format
  /** Returns the filled text, or null if the value of a slot is unknown. */
  readonly say: <K extends string>(said: Text<K>, values: Values<K>) => string | null
}

/** One part of an answer, whose null lines are left out. */
export interface Section {
  /** The conclusion of the section, or null if the tool results support no conclusion. */
  readonly verdict: string | null
  readonly evidence: ReadonlyArray<string | null>
  /** What would change the conclusion of the section. */
  readonly change?: string | null
  /** The explanation of the conclusion, shown in `mentor` mode. */
  readonly why?: string | null
}

/** A kind of question: how to detect the kind, which tools to call, and how to write the answer. */
export interface Intent {
  readonly name: string
  readonly asked: (reading: Reading) => boolean
  /** The words that the intent takes into account. Other words of the question are reported in the answer. */
  readonly reads?: ReadonlyArray<RegExp>
  /**
   * Whether the answer depends on the time span, the day or the time of day of the question. `own` means that the
   * intent reads times, such as option expiries, itself.
   */
  readonly spans?: boolean | "own" | ((reading: Reading) => boolean)
  /** Whether the answer depends on the numbers of the question, or the numbers on which the answer depends. */
  readonly numbers?: boolean | ((reading: Reading) => ReadonlyArray<number>)
  /** Whether the answer omits the coins that the question excludes. */
  readonly excludes?: boolean
  /** The intents that this intent replaces; a `general` intent is replaced by any other intent. */
  readonly over?: "all" | ReadonlyArray<string>
  readonly general?: boolean
  /** The coins of the answer if a question names no instrument. */
  readonly usual?: ReadonlyArray<string>
  /** Returns all wanted tool calls, as far as the findings determine their arguments. */
  readonly plan: (reading: Reading, found: Findings) => ReadonlyArray<Planned>
  /** The writing tools that the answer needs, even while their arguments are unknown. */
  readonly needs?: ReadonlyArray<string>
  readonly write: (reading: Reading, found: Findings, desk: Desk) => Section
  /** Returns the instruments in the order in which the answer lists them; only answers that are lists have this. */
  readonly lists?: (reading: Reading, found: Findings) => ReadonlyArray<string>
  readonly next: ReadonlyArray<Text<"name">>
}
