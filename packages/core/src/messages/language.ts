import { Struct } from "effect"
import type { Dictionary, Message } from "./dictionary.ts"
import { en } from "./en.ts"
import { ko } from "./ko.ts"
import { ru } from "./ru.ts"

/** Every language that messages are written in. */
const written = { en, ko, ru } satisfies Readonly<Record<string, Dictionary>>

export type Language = keyof typeof written

export const dictionaries: Readonly<Record<Language, Dictionary>> = written

export const languages: ReadonlyArray<Language> = Struct.keys(written)

/** The language that `x-lang` asks for by its code; anything else, or nothing, is English. */
export const languageOf = (header: string | undefined): Language =>
  languages.find((language) => language === header) ?? "en"

/** Says `message` in `language`. */
export const say = (message: Message, language: Language): string => {
  const entry: unknown = dictionaries[language][message.key]
  return typeof entry === "function" ? entry("params" in message ? message.params : undefined) : String(entry)
}
