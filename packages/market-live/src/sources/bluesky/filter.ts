import { toneOf } from "@tapeline/core/analysis"
import { dayMs } from "@tapeline/core/market"
import { coinMentions } from "../../mentions/coinMentions.ts"
import { type BlueskyMessage, recordOf } from "./messages.ts"

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
const spoken = ["en", "ko", "ru"]

/** Guesses the language by script, for a post without a language. */
const scriptOf = (text: string): string =>
  /\p{Script=Hangul}/u.test(text) ? "ko" : /\p{Script=Cyrillic}/u.test(text) ? "ru" : "en"

const languageOf = (told: ReadonlyArray<string>, text: string): string | undefined =>
  told.length === 0 ? scriptOf(text) : told.find((language) => spoken.includes(language))

/** Posts with an older creation date are imports from elsewhere. Clocks are wrong by hours, not by days. */
const broughtOverMs = dayMs

/** A post with more coins is a list of names, not about them. */
const mostCoins = 10

/** Makes a filter that keeps posts about coins. It is fast, because most posts are about something else. */
export const makeFilter = (coins: ReadonlyArray<string>) => {
  const mentionsIn = coinMentions(coins)
  return ({ did, id, record, timeUs }: Extract<BlueskyMessage, { _tag: "post" }>): BlueskyPost | undefined => {
    const read = recordOf(record)
    if (read === undefined) return undefined
    const { createdAt, languages, tags, text } = read
    const mentioned = mentionsIn(tags.length === 0 ? text : `${text} ${tags.map((tag) => `#${tag}`).join(" ")}`)
    if (mentioned.length === 0 || mentioned.length > mostCoins || text.trim() === "") return undefined
    const language = languageOf(languages, text)
    if (language === undefined || (createdAt !== null && createdAt < timeUs / 1_000 - broughtOverMs)) return undefined
    return { id, did, coins: mentioned, text, language, sentiment: toneOf(text) }
  }
}
