import type { Language } from "@tapeline/core/specifications"

/** Every language, in its own words. */
export const languageNames = { en: "English", ko: "한국어", ru: "Русский" } as const satisfies Record<Language, string>

// As they stand above.
export const languages = Object.keys(languageNames) as ReadonlyArray<Language>

/** The language to begin with: the one that was chosen here, else the first of the browser's own that there is. */
export const languageOf = (chosen: string | null, preferred: ReadonlyArray<string>): Language => {
  const known = (code: string | null): Language | undefined => languages.find((one) => one === code)
  const found = preferred.map((code) => known(code.split("-")[0]!.toLowerCase())).find((one) => one !== undefined)
  return known(chosen) ?? found ?? "en"
}

const rules = new Intl.PluralRules("ru")

/** The form of a Russian noun that goes with a number: 1 ключ, 2 ключа, 5 ключей. */
export const russian = (count: number, one: string, few: string, many: string): string => {
  const form = rules.select(count)
  return form === "one" ? one : form === "few" ? few : many
}
