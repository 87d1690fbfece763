import { dayMs, type SocialAccount } from "@tapeline/core/market"
import type { Complete } from "../kernel/complete.ts"
import { deriveKey, drawInteger, drawNormal, drawUniform, type Key } from "../kernel/random.ts"
import { pickRandom } from "../kernel/templates.ts"
import type { PostLanguage } from "./phrases.ts"

/** The author of a post. The author's account is a function of these fields. */
export interface Author {
  readonly kind: "regular" | "newcomer" | "hired"
  readonly key: Key
  readonly createdAt: number
}

/**
 * The number of simulated people. The accounts of the simulated people are created at equal intervals between 2011 and
 * 2046.
 */
const population = 40_000
const firstAccountCreatedAt = Date.UTC(2011, 0, 1)
const lastAccountCreatedAt = Date.UTC(2046, 0, 1)
/** The minimum age of a regular author's account. */
const minRegularAgeMs = 20 * dayMs
/** The maximum age of a newcomer's account on the day before the newcomer's posts. */
const maxNewcomerAgeMs = 60 * dayMs

const getCreationTime = (index: number): number =>
  Math.floor(firstAccountCreatedAt + (lastAccountCreatedAt - firstAccountCreatedAt) * (index + 0.5) / population)

/** Returns the regular author with the given rank in a community. The author of a rank stays the same over time. */
export const makeRegularAuthor = (peopleKey: Key, communityKey: Key, rank: number, time: number): Author => {
  const key = deriveKey(communityKey, rank, 0)
  for (let attempt = 0; attempt < 12; attempt++) {
    const index = drawInteger(key, attempt, population)
    const createdAt = getCreationTime(index)
    if (createdAt < time - minRegularAgeMs) return { kind: "regular", key: deriveKey(peopleKey, index, 0), createdAt }
  }
  return { kind: "regular", key: deriveKey(peopleKey, drawInteger(key, 12, 4_000), 0), createdAt: getCreationTime(0) }
}

/** Returns a random newcomer in a community. Each day has different newcomers. */
export const makeNewcomer = (communityKey: Key, time: number, drawKey: Key): Author => {
  const day = Math.floor(time / dayMs)
  const key = deriveKey(communityKey, day, 1 + drawInteger(drawKey, 0, 400))
  return { kind: "newcomer", key, createdAt: Math.floor(day * dayMs - dayMs - maxNewcomerAgeMs * drawUniform(key, 0)) }
}

/**
 * Returns a hired account of a campaign. Most hired accounts are created a few weeks before the campaign. With more
 * `concealment`, more accounts are much older.
 */
export const makeHiredAuthor = (campaignKey: Key, member: number, startsAt: number, concealment: number): Author => {
  const key = deriveKey(campaignKey, member, 1)
  const accountAgeMs = drawUniform(key, 0) < 0.12 + 0.6 * concealment
    ? dayMs * (200 + 900 * drawUniform(key, 1))
    : dayMs * (2 + 40 * drawUniform(key, 1))
  return { kind: "hired", key, createdAt: Math.floor(startsAt - accountAgeMs) }
}

/** Returns the language of an author, which is English for about two in three authors. */
export const getLanguage = (author: Author): PostLanguage => {
  const u = drawUniform(author.key, 20)
  return u < 0.62 ? "en" : u < 0.84 ? "ko" : "ru"
}

const handleFirstWords = [
  "delta",
  "quiet",
  "north",
  "lazy",
  "gamma",
  "river",
  "paper",
  "iron",
  "tiny",
  "salt",
  "late",
  "amber",
  "plain",
  "copper",
  "old",
  "green",
  "hodl",
  "satoshi",
  "seoul",
  "volga",
  "busan",
  "neva",
  "orbit",
  "block",
  "pixel",
  "fox",
  "moss",
  "grey",
  "sunday",
  "basis",
  "theta",
  "wick",
  "candle",
  "omega"
]
const handleSecondWords = [
  "heron",
  "trader",
  "fox",
  "harbor",
  "notes",
  "capital",
  "wolf",
  "kim",
  "petrov",
  "lee",
  "miner",
  "tape",
  "desk",
  "whale",
  "otter",
  "quant",
  "park",
  "ivan",
  "watch",
  "chart",
  "node",
  "reader",
  "bear",
  "bull",
  "cat",
  "gull",
  "lab",
  "stack",
  "anna",
  "jin",
  "sergey",
  "max",
  "choi",
  "dev"
]
const hypeWords = ["Moon", "Gem", "Alpha", "Signal", "Whale", "Rocket", "Pump", "Crypto", "Bull", "Profit"]
const hypeEndings = ["King", "Hunter", "Calls", "Guru", "Insider", "Master", "Queen", "Boss", "VIP", "Club"]

const makeHandle = ({ kind, key }: Author): string => {
  if (kind === "hired" && drawUniform(key, 30) < 0.75) {
    return `${pickRandom(hypeWords, key, 31)}${pickRandom(hypeEndings, key, 32)}${
      drawInteger(key, 33, 90_000) + 10_000
    }`
  }
  const separator = pickRandom(["", "_", "", "."], key, 30)
  return `${pickRandom(handleFirstWords, key, 31)}${separator}${pickRandom(handleSecondWords, key, 32)}${
    drawInteger(key, 34, 2_000_000).toString(36)
  }`
}

export const getAccount = (author: Author, time: number): Complete<SocialAccount> => {
  const { kind, key, createdAt } = author
  const days = Math.max(0.1, (time - createdAt) / dayMs)
  const maturity = Math.min(1, days / 700)
  const isHired = kind === "hired"
  // The number of followers grows over the years, and a few people have very many followers.
  const followers = isHired
    ? Math.floor(140 * drawUniform(key, 10) ** 2)
    : Math.floor((0.1 + 0.9 * maturity) * Math.exp((kind === "regular" ? 5.4 : 3.4) + 1.7 * drawNormal(key, 10)))
  const following = isHired
    ? 150 + drawInteger(key, 11, 1_800)
    : Math.floor((0.2 + 0.8 * maturity) * Math.exp(5.6 + 0.8 * drawNormal(key, 11)))
  const postsPerDay = isHired ? 3 + 20 * drawUniform(key, 12) : Math.exp(0.2 + 1.0 * drawNormal(key, 12))
  return { handle: makeHandle(author), createdAt, followers, following, postCount: 1 + Math.floor(postsPerDay * days) }
}
