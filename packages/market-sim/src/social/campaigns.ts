/**
 * Simulates campaigns on social media. In a campaign, hired accounts repeat a script about a coin for some hours. The
 * market ports do not reveal which posts belong to a campaign.
 */
import { dayMs, hourMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { deriveKey, drawInteger, drawNormal, drawUniform, type Key } from "../kernel/random.ts"
import { pickRandom } from "../kernel/templates.ts"
import type { World } from "../world.ts"
import type { PostLanguage } from "./phrases.ts"

export interface Campaign {
  readonly key: Key
  readonly startsAt: number
  readonly endsAt: number
  readonly postsPerHour: number
  /** The number of hired accounts in the campaign. */
  readonly memberCount: number
  /** The effort to hide the campaign, from 0 to 1: more and older accounts, fewer posts and more scripts. */
  readonly concealment: number
  readonly goal: "pump" | "smear"
  readonly language: PostLanguage
}

/** The length of a period, in which a coin has at most one campaign. */
const periodMs = 9 * dayMs
const maxDurationMs = 10 * hourMs

const getCampaignProbability = ({ spec }: CoinMarket): number => {
  if (spec.isStablecoin) return 0.05
  if (spec.coin === "BTC" || spec.coin === "ETH") return 0.2
  return spec.sector === "meme" ? 0.7 : spec.dailyVolumeUsd < 3e8 ? 0.5 : 0.32
}

const makeCampaign = (world: World, market: CoinMarket, period: number, usualPerHour: number): Campaign | undefined => {
  const key = deriveKey(world.getKey(`campaigns ${market.spec.coin}`), period, 0)
  if (drawUniform(key, 0) >= getCampaignProbability(market)) return undefined
  const startsAt = Math.floor((period + 0.9 * drawUniform(key, 1)) * periodMs)
  if (startsAt < market.listedAt) return undefined
  const concealment = drawUniform(key, 7) ** 1.3
  const durationMs = hourMs * (3 + (maxDurationMs / hourMs - 3) * drawUniform(key, 2))
  return {
    key,
    startsAt,
    endsAt: startsAt + Math.floor(durationMs),
    postsPerHour: (usualPerHour * 2.4 + 12) * (1 - 0.7 * concealment) * Math.exp(0.3 * drawNormal(key, 3)),
    memberCount: 6 + drawInteger(key, 4, 14) + Math.round(50 * concealment),
    concealment,
    goal: drawUniform(key, 5) < 0.85 ? "pump" : "smear",
    language: pickRandom<PostLanguage>(["en", "en", "en", "en", "ko", "ru"], key, 6)
  }
}

/** Returns the campaigns about a coin that are active at some time in `[from, to)`, oldest first. */
export const getCampaigns = (
  world: World,
  market: CoinMarket,
  from: number,
  to: number,
  usualPerHour: number
): ReadonlyArray<Campaign> => {
  const campaigns: Array<Campaign> = []
  for (let period = Math.floor((from - maxDurationMs) / periodMs); period * periodMs < to; period++) {
    const campaign = makeCampaign(world, market, period, usualPerHour)
    if (campaign !== undefined && campaign.startsAt < to && campaign.endsAt > from) campaigns.push(campaign)
  }
  return campaigns
}
