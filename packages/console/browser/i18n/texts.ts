import type { Language } from "@tapeline/core/specifications"
import { useLanguage } from "./LanguageProvider.tsx"

/** A text of the console, or a function that returns a text for given values. */
type TextEntry = string | ((...values: ReadonlyArray<never>) => string)

type Texts<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (...values: infer Values) => string
    ? (...values: Values) => string
    : string
}

/** The texts of a page in all languages. The table of each language contains the same names. */
export type TextTable<Table> = Readonly<Record<Language, Texts<Table>>>

export const defineTexts = <Table extends Readonly<Record<string, TextEntry>>>(
  table: { readonly en: Table } & Readonly<Record<Exclude<Language, "en">, NoInfer<Texts<Table>>>>
): TextTable<Table> =>
  // The cast is safe because the parameter and the result have equal names and texts, which TypeScript cannot derive.
  table as unknown as TextTable<Table>

export const useTexts = <Table>(table: TextTable<Table>): Texts<Table> => table[useLanguage().language]
