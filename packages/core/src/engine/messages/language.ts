import { shorten } from "../text/formatting.ts"
import type { Dictionary, Message } from "./dictionary.ts"
import { en } from "./en.ts"
import { ko } from "./ko.ts"
import { Language } from "./languageCode.ts"
import { ru } from "./ru.ts"

export const dictionaries: Readonly<Record<Language, Dictionary>> = { en, ko, ru }

export const languages: ReadonlyArray<Language> = Language.literals

/** Returns the language in an `x-lang` header. Returns English if the header is missing or unknown. */
export const parseLanguage = (header: string | undefined): Language =>
  languages.find((language) => language === header) ?? "en"

/**
 * The names of message parameters whose values come from the request. Messages shorten the values of these parameters,
 * because a request may contain very long values.
 */
const requestParams: ReadonlySet<string> = new Set([
  "address",
  "coin",
  "expiry",
  "field",
  "mode",
  "name",
  "option",
  "plan",
  "symbol",
  "tool",
  "value",
  "word"
])

const shortenParams = (params: object): object =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]: readonly [string, unknown]) => [
      name,
      typeof value === "string" && requestParams.has(name) ? shorten(value) : value
    ])
  )

/** Returns the text of `message` in `language`. Values that come from the request, such as names, are shortened. */
export const formatMessage = (message: Message, language: Language): string => {
  const entry: unknown = dictionaries[language][message.key]
  if (typeof entry !== "function") return String(entry)
  return entry("params" in message ? shortenParams(message.params) : undefined)
}
