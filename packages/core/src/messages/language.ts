import type { Dictionary, Message } from "./dictionary.ts"
import { en } from "./en.ts"
import { ko } from "./ko.ts"
import { Language } from "./languageCode.ts"
import { ru } from "./ru.ts"

export const dictionaries: Readonly<Record<Language, Dictionary>> = { en, ko, ru }

export const languages: ReadonlyArray<Language> = Language.literals

/** The language that `x-lang` asks for by its code; anything else, or nothing, is English. */
export const languageOf = (header: string | undefined): Language =>
  languages.find((language) => language === header) ?? "en"

/** Says `message` in `language`. */
export const say = (message: Message, language: Language): string => {
  const entry: unknown = dictionaries[language][message.key]
  return typeof entry === "function" ? entry("params" in message ? message.params : undefined) : String(entry)
}
