import type { Language } from "@tapeline/core/engine"

/** The names of the slots in a text, written as `{name}`. */
export type Slots<S extends string> = S extends `${string}{${infer K}}${infer Rest}` ? K | Slots<Rest> : never

/** A text in every language. */
export interface Text<K extends string> extends Readonly<Record<Language, string>> {
  /** The names of the text's slots, which exist only as a type. */
  readonly slots?: K
}

const slot = /\{(\w+)\}/g

const slotsOf = (template: string): string =>
  [...new Set(Array.from(template.matchAll(slot), ([, name]) => name ?? ""))].toSorted((a, b) => a < b ? -1 : 1).join()

/** Creates a text in three languages, and throws an error if the slots of the languages differ. */
export const text = <const E extends string>(en: E, ko: string, ru: string): Text<Slots<E>> => {
  for (const other of [ko, ru]) {
    if (slotsOf(other) !== slotsOf(en)) throw new Error(`slots differ between "${en}" and "${other}"`)
  }
  return { en, ko, ru }
}

/** The values of a text's slots, where null means unknown. */
export type Values<K extends string> = Readonly<Record<K, string | null>>

/** Fills the slots of a text, or returns null if the value of a slot is unknown. */
export const fill = <K extends string>(lang: Language, said: Text<K>, values: Values<K>): string | null => {
  let whole = true
  const known: Readonly<Record<string, string | null>> = values
  const filled = said[lang].replaceAll(slot, (_, name: string) => {
    const value = known[name] ?? null
    if (value === null) whole = false
    return value ?? ""
  })
  return whole ? filled : null
}
