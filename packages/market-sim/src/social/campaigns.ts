/**
 * Manufactured episodes: campaigns of hired accounts that repeat a script about a coin for some hours, at
 * times that have nothing to do with its price. This is the simulation's truth: nothing in the data of core's
 * ports names it.
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
  /** Posts in an hour at its height. */
  readonly perHour: number
  /** Hired accounts. */
  readonly members: number
  /** How well it hides, 0 to 1: more accounts, with a past, fewer posts, more scripts. */
  readonly care: number
  readonly aim: "pump" | "smear"
  readonly language: PostLanguage
}

/** A coin has at most one campaign in so many days. */
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

/** Campaigns about a coin that run at some time of `[from, to)`, oldest first. */
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
