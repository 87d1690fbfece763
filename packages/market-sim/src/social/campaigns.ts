/**
 * Manufactured campaigns: hired accounts repeat a script about a coin for some hours, at times that are unrelated to
 * the price. Only the simulation knows them: the data of core's ports does not identify a campaign.
 */
import { dayMs, hourMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { pick } from "../kernel/grammar.ts"
import { derive, integer, type Key, normal, uniform } from "../kernel/random.ts"
import type { World } from "../world.ts"
import type { PostLanguage } from "./phrases.ts"

export interface Campaign {
  readonly key: Key
  readonly startsAt: number
  readonly endsAt: number
  /** The mean number of posts per hour. */
  readonly perHour: number
  /** The number of hired accounts. */
  readonly members: number
  /** The effort to hide, from 0 to 1: more accounts, accounts with a past, fewer posts, more scripts. */
  readonly care: number
  readonly aim: "pump" | "smear"
  readonly language: PostLanguage
}

/** The length of a period. A coin has at most one campaign in each period. */
const slotMs = 9 * dayMs
const longestMs = 10 * hourMs

const chanceOf = ({ spec }: CoinMarket): number => {
  if (spec.isStablecoin) return 0.05
  if (spec.coin === "BTC" || spec.coin === "ETH") return 0.2
  return spec.sector === "meme" ? 0.7 : spec.dailyVolumeUsd < 3e8 ? 0.5 : 0.32
}

const campaignOf = (world: World, market: CoinMarket, slot: number, usualPerHour: number): Campaign | undefined => {
  const key = derive(world.key(`campaigns ${market.spec.coin}`), slot, 0)
  if (uniform(key, 0) >= chanceOf(market)) return undefined
  const startsAt = Math.floor((slot + 0.9 * uniform(key, 1)) * slotMs)
  if (startsAt < market.listedAt) return undefined
  const care = uniform(key, 7) ** 1.3
  const lasts = hourMs * (3 + (longestMs / hourMs - 3) * uniform(key, 2))
  return {
    key,
    startsAt,
    endsAt: startsAt + Math.floor(lasts),
    perHour: (usualPerHour * 2.4 + 12) * (1 - 0.7 * care) * Math.exp(0.3 * normal(key, 3)),
    members: 6 + integer(key, 4, 14) + Math.round(50 * care),
    care,
    aim: uniform(key, 5) < 0.85 ? "pump" : "smear",
    language: pick<PostLanguage>(["en", "en", "en", "en", "ko", "ru"], key, 6)
  }
}

/** The campaigns about a coin that are active at some time of `[from, to)`, oldest first. */
export const campaignsOf = (
  world: World,
  market: CoinMarket,
  from: number,
  to: number,
  usualPerHour: number
): ReadonlyArray<Campaign> => {
  const found: Array<Campaign> = []
  for (let slot = Math.floor((from - longestMs) / slotMs); slot * slotMs < to; slot++) {
    const campaign = campaignOf(world, market, slot, usualPerHour)
    if (campaign !== undefined && campaign.startsAt < to && campaign.endsAt > from) found.push(campaign)
  }
  return found
}
