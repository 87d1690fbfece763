/** Accounts: people with accounts of many years, newcomers, and the hired accounts of campaigns. */
import { dayMs, type SocialAccount } from "@tapeline/core/market"
import { pick } from "../kernel/grammar.ts"
import { derive, integer, type Key, normal, uniform } from "../kernel/random.ts"
import type { Whole } from "../kernel/whole.ts"
import type { PostLanguage } from "./phrases.ts"

/** The author of a post: the facts that identify the author and determine the account. */
export interface Author {
  readonly kind: "regular" | "newcomer" | "hired"
  readonly key: Key
  readonly createdAt: number
}

/**
 * The number of people in the world. All accounts are created evenly over these years; future people write nothing yet.
 */
const population = 40_000
const firstOpenedAt = Date.UTC(2011, 0, 1)
const lastOpenedAt = Date.UTC(2046, 0, 1)
/** A regular author's account is older than `shyMs`. A newcomer's account is at most about `newcomerMs` old. */
const shyMs = 20 * dayMs
const newcomerMs = 60 * dayMs

const openedAt = (index: number): number =>
  Math.floor(firstOpenedAt + (lastOpenedAt - firstOpenedAt) * (index + 0.5) / population)

/** The person of a rank in a community. The person stays the same over time. */
export const regular = (people: Key, community: Key, rank: number, time: number): Author => {
  const key = derive(community, rank, 0)
  for (let attempt = 0; attempt < 12; attempt++) {
    const index = integer(key, attempt, population)
    const createdAt = openedAt(index)
    if (createdAt < time - shyMs) return { kind: "regular", key: derive(people, index, 0), createdAt }
  }
  return { kind: "regular", key: derive(people, integer(key, 12, 4_000), 0), createdAt: openedAt(0) }
}

/** A newcomer. Each day has its own newcomers. */
export const newcomer = (community: Key, time: number, draw: Key): Author => {
  const day = Math.floor(time / dayMs)
  const key = derive(community, day, 1 + integer(draw, 0, 400))
  return { kind: "newcomer", key, createdAt: Math.floor(day * dayMs - dayMs - newcomerMs * uniform(key, 0)) }
}

/**
 * A hired account of a campaign, created weeks before the campaign. With more `care`, more of the accounts are bought
 * and already have a past.
 */
export const hired = (campaign: Key, member: number, startsAt: number, care: number): Author => {
  const key = derive(campaign, member, 1)
  const agedMs = uniform(key, 0) < 0.12 + 0.6 * care
    ? dayMs * (200 + 900 * uniform(key, 1))
    : dayMs * (2 + 40 * uniform(key, 1))
  return { kind: "hired", key, createdAt: Math.floor(startsAt - agedMs) }
}

/** The language of an author. About two in three write English, the others Korean or Russian. */
export const languageOf = (author: Author): PostLanguage => {
  const u = uniform(author.key, 20)
  return u < 0.62 ? "en" : u < 0.84 ? "ko" : "ru"
}

const first = [
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
const second = [
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
const hype = ["Moon", "Gem", "Alpha", "Signal", "Whale", "Rocket", "Pump", "Crypto", "Bull", "Profit"]
const hypeTail = ["King", "Hunter", "Calls", "Guru", "Insider", "Master", "Queen", "Boss", "VIP", "Club"]

const handleOf = ({ kind, key }: Author): string => {
  if (kind === "hired" && uniform(key, 30) < 0.75) {
    return `${pick(hype, key, 31)}${pick(hypeTail, key, 32)}${integer(key, 33, 90_000) + 10_000}`
  }
  const join = pick(["", "_", "", "."], key, 30)
  return `${pick(first, key, 31)}${join}${pick(second, key, 32)}${integer(key, 34, 2_000_000).toString(36)}`
}

/** The account at a time. */
export const accountAt = (author: Author, time: number): Whole<SocialAccount> => {
  const { kind, key, createdAt } = author
  const days = Math.max(0.1, (time - createdAt) / dayMs)
  const known = Math.min(1, days / 700)
  const isHired = kind === "hired"
  // The number of followers grows over the years. A few people have very many.
  const followers = isHired
    ? Math.floor(140 * uniform(key, 10) ** 2)
    : Math.floor((0.1 + 0.9 * known) * Math.exp((kind === "regular" ? 5.4 : 3.4) + 1.7 * normal(key, 10)))
  const following = isHired
    ? 150 + integer(key, 11, 1_800)
    : Math.floor((0.2 + 0.8 * known) * Math.exp(5.6 + 0.8 * normal(key, 11)))
  const perDay = isHired ? 3 + 20 * uniform(key, 12) : Math.exp(0.2 + 1.0 * normal(key, 12))
  return { handle: handleOf(author), createdAt, followers, following, postCount: 1 + Math.floor(perDay * days) }
}
