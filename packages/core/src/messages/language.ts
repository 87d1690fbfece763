import type { Dictionary, Message } from "./dictionary.ts"
import { en } from "./en.ts"
import { ko } from "./ko.ts"
import { ru } from "./ru.ts"

/** The languages that messages are written in. */
export type Language = "en" | "ko" | "ru"

export const dictionaries: Readonly<Record<Language, Dictionary>> = { en, ko, ru }

/** The language that `x-lang` asks for: `ko` or `ru`; anything else, or nothing, is English. */
export const languageOf = (header: string | undefined): Language => header === "ko" || header === "ru" ? header : "en"

/** Says `message` in `language`. */
export const say = (message: Message, language: Language): string => {
  const entry: unknown = dictionaries[language][message.key]
  return typeof entry === "function" ? entry("params" in message ? message.params : undefined) : String(entry)
}
