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
  /** By its words, -1 to 1; null of one that says nothing either way. */
  readonly sentiment: number | null
}

/** Languages in which names are known, and tones. */
const spoken = ["en", "ko", "ru"]

/** By the script, of a post whose author's program told none. */
const scriptOf = (text: string): string =>
  /\p{Script=Hangul}/u.test(text) ? "ko" : /\p{Script=Cyrillic}/u.test(text) ? "ru" : "en"

const languageOf = (told: ReadonlyArray<string>, text: string): string | undefined =>
  told.length === 0 ? scriptOf(text) : told.find((language) => spoken.includes(language))

/** Programs bring over what was said elsewhere long ago. Clocks are wrong by hours, not by days. */
const broughtOverMs = dayMs

/** A list of names is not about them. */
const mostCoins = 10

/** Posts about coins, of all posts: fast, since most are about something else. */
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
