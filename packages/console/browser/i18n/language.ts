import type { Language } from "@tapeline/core/specifications"

/** The name of each language in that language. */
export const languageNames = { en: "English", ko: "한국어", ru: "Русский" } as const satisfies Record<Language, string>

// In the order above.
export const languages = Object.keys(languageNames) as ReadonlyArray<Language>

/** The initial language: the stored choice, or else the first of the browser's languages that the console has. */
export const initialLanguage = (chosen: string | null, preferred: ReadonlyArray<string>): Language => {
  const supported = (code: string | null): Language | undefined => languages.find((one) => one === code)
  const preferredLanguage = preferred.map((code) => supported(code.split("-")[0]!.toLowerCase())).find((one) =>
    one !== undefined
  )
  return supported(chosen) ?? preferredLanguage ?? "en"
}

const russianRules = new Intl.PluralRules("ru")

/** The plural form of a Russian noun: 1 ключ, 2 ключа, 5 ключей. */
export const russianPlural = (count: number, one: string, few: string, many: string): string => {
  const form = russianRules.select(count)
  return form === "one" ? one : form === "few" ? few : many
}
