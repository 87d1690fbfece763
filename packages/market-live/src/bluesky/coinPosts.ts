import { getTone } from "@tapeline/core/analysis"
import { dayMs } from "@tapeline/core/market"
import { makeCoinFinder } from "../mentions/coinFinder.ts"
import { type BlueskyMessage, readPostRecord } from "./messages.ts"

/** A post about coins. */
export interface BlueskyPost {
  readonly id: string
  readonly did: string
  readonly coins: ReadonlyArray<string>
  readonly text: string
  readonly language: string
  /** The sentiment of its words, from -1 to 1; null if it is neutral. */
  readonly sentiment: number | null
}

/** The languages whose names and sentiment words are known. */
const knownLanguages = ["en", "ko", "ru"]

/** Guesses the language by script, for a post without a language. */
const languageByScript = (text: string): string =>
  /\p{Script=Hangul}/u.test(text) ? "ko" : /\p{Script=Cyrillic}/u.test(text) ? "ru" : "en"

const languageOf = (declared: ReadonlyArray<string>, text: string): string | undefined =>
  declared.length === 0 ? languageByScript(text) : declared.find((language) => knownLanguages.includes(language))

/** Posts with an older creation date are imports from elsewhere. Clocks are wrong by hours, not by days. */
const maxPostAgeMs = dayMs

/** A post with more coins is a list of names, not about them. */
const maxCoins = 10

/** Makes a filter that keeps posts about coins. It is fast, because most posts are about something else. */
export const makeCoinPostFilter = (coins: ReadonlyArray<string>) => {
  const findCoins = makeCoinFinder(coins)
  return ({ did, id, record, timeUs }: Extract<BlueskyMessage, { _tag: "post" }>): BlueskyPost | undefined => {
    const read = readPostRecord(record)
    if (read === undefined) return undefined
    const { createdAt, languages, tags, text } = read
    const mentioned = findCoins(tags.length === 0 ? text : `${text} ${tags.map((tag) => `#${tag}`).join(" ")}`)
    if (mentioned.length === 0 || mentioned.length > maxCoins || text.trim() === "") return undefined
    const language = languageOf(languages, text)
    if (language === undefined || (createdAt !== null && createdAt < timeUs / 1_000 - maxPostAgeMs)) return undefined
    return { id, did, coins: mentioned, text, language, sentiment: getTone(text) }
  }
}
