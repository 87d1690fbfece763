import type { Language } from "@tapeline/core/specifications"

export const languageNames = { en: "English", ko: "한국어", ru: "Русский" } as const satisfies Record<Language, string>

// The cast is safe because `Object.keys` returns the keys of the object, in the object's order, typed as `string`.
export const languages = Object.keys(languageNames) as ReadonlyArray<Language>

/** Returns the initial language of the console: the stored choice, the first supported browser language, or English. */
export const initialLanguage = (chosen: string | null, preferred: ReadonlyArray<string>): Language => {
  const supported = (code: string | null): Language | undefined => languages.find((one) => one === code)
  const preferredLanguage = preferred.map((code) => supported(code.split("-")[0]!.toLowerCase())).find((one) =>
    one !== undefined
  )
  return supported(chosen) ?? preferredLanguage ?? "en"
}

const russianRules = new Intl.PluralRules("ru")

/** Returns the plural form of a Russian noun: 1 ключ, 2 ключа, 5 ключей. */
export const russianPlural = (count: number, one: string, few: string, many: string): string => {
  const form = russianRules.select(count)
  return form === "one" ? one : form === "few" ? few : many
}
