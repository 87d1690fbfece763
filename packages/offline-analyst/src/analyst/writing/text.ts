import type { Language } from "@tapeline/core/engine"

/** The names of the places that a text leaves open. */
export type Slots<S extends string> = S extends `${string}{${infer K}}${infer Rest}` ? K | Slots<Rest> : never

/** A text in every language. */
export interface Text<K extends string> extends Readonly<Record<Language, string>> {
  /** Not there at run time: which slots it has. */
  readonly slots?: K
}

const slot = /\{(\w+)\}/g

const slotsOf = (template: string): string =>
  [...new Set(Array.from(template.matchAll(slot), ([, name]) => name ?? ""))].toSorted((a, b) => a < b ? -1 : 1).join()

/** A text whose slots are the same in each language; one that leaves a slot out is a defect at once. */
export const text = <const E extends string>(en: E, ko: string, ru: string): Text<Slots<E>> => {
  for (const other of [ko, ru]) {
    if (slotsOf(other) !== slotsOf(en)) throw new Error(`slots differ between "${en}" and "${other}"`)
  }
  return { en, ko, ru }
}

/** What goes into a text's slots; null where it is not known. */
export type Values<K extends string> = Readonly<Record<K, string | null>>

/** A text with its slots filled; null when what one of them needs is not known. */
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
