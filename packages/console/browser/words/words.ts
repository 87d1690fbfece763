import type { Language } from "@tapeline/core/specifications"
import { useLanguage } from "./Languages.tsx"

/** A text, or a function that creates one from values. */
type Entry = string | ((...values: ReadonlyArray<never>) => string)

type Said<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (...values: infer Values) => string
    ? (...values: Values) => string
    : string
}

/** The texts of a page in all languages. The English table defines the names. A missing text does not compile. */
export type Words<Table> = Readonly<Record<Language, Said<Table>>>

/** Defines the texts of a page. */
export const words = <Table extends Readonly<Record<string, Entry>>>(table: {
  readonly en: Table
  readonly ko: NoInfer<Said<Table>>
  readonly ru: NoInfer<Said<Table>>
}): Words<Table> =>
  // Both types have the same names and texts, but the compiler cannot derive this.
  table as unknown as Words<Table>

/** The texts of a page in the selected language. */
export const useWords = <Table>(table: Words<Table>): Said<Table> => table[useLanguage().language]
