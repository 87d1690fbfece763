import { getTone } from "@tapeline/core/analysis"
import { dayMs } from "@tapeline/core/market"
import { makeCoinFinder } from "../mentions/coinFinder.ts"
import { type BlueskyMessage, readPostRecord } from "./messages.ts"

/** A Bluesky post about coins. */
export interface BlueskyPost {
  readonly id: string
  readonly did: string
  readonly coins: ReadonlyArray<string>
  readonly text: string
  readonly language: string
  /** The sentiment of the post's words, from -1 (negative) to 1 (positive), or null if neutral. */
  readonly sentiment: number | null
}

const knownLanguages = ["en", "ko", "ru"]

const languageByScript = (text: string): string =>
  /\p{Script=Hangul}/u.test(text) ? "ko" : /\p{Script=Cyrillic}/u.test(text) ? "ru" : "en"

const languageOf = (declared: ReadonlyArray<string>, text: string): string | undefined =>
  declared.length === 0 ? languageByScript(text) : declared.find((language) => knownLanguages.includes(language))

/** The maximum age of a post at arrival, because older posts are imports from other services. */
const maxPostAgeMs = dayMs

/** The maximum number of coins in a post, because a post with more coins is only a list of names. */
const maxCoins = 10

/** Returns a filter that converts posts about coins, and returns undefined for other posts. */
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
