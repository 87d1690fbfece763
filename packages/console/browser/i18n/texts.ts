import type { Language } from "@tapeline/core/specifications"
import { useLanguage } from "./LanguageProvider.tsx"

/** A text, or a function that creates one from values. */
type TextEntry = string | ((...values: ReadonlyArray<never>) => string)

type Texts<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (...values: infer Values) => string
    ? (...values: Values) => string
    : string
}

/** The texts of a page in all languages. The English table defines the names. A missing text does not compile. */
export type TextTable<Table> = Readonly<Record<Language, Texts<Table>>>

/** Defines the texts of a page. */
export const defineTexts = <Table extends Readonly<Record<string, TextEntry>>>(table: {
  readonly en: Table
  readonly ko: NoInfer<Texts<Table>>
  readonly ru: NoInfer<Texts<Table>>
}): TextTable<Table> =>
  // Both types have the same names and texts, but the compiler cannot derive this.
  table as unknown as TextTable<Table>

/** The texts of a page in the selected language. */
export const useTexts = <Table>(table: TextTable<Table>): Texts<Table> => table[useLanguage().language]
