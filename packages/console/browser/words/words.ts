import type { Language } from "@tapeline/core/specifications"
import { useLanguage } from "./Languages.tsx"

/** A text, or what makes one of values. */
type Entry = string | ((...values: ReadonlyArray<never>) => string)

type Said<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (...values: infer Values) => string
    ? (...values: Values) => string
    : string
}

/** What a page says in every language. English tells which texts there are; one that is missing does not compile. */
export type Words<Table> = Readonly<Record<Language, Said<Table>>>

/** A page's texts. */
export const words = <Table extends Readonly<Record<string, Entry>>>(table: {
  readonly en: Table
  readonly ko: NoInfer<Said<Table>>
  readonly ru: NoInfer<Said<Table>>
}): Words<Table> =>
  // The same texts by the same names: English's own type says the same in other words, which the compiler cannot know.
  table as unknown as Words<Table>

/** A page's texts in the language that is chosen. */
export const useWords = <Table>(table: Words<Table>): Said<Table> => table[useLanguage().language]
