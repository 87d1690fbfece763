/**
 * Posts about a coin, hour by hour.
 *
 * The rate of posts depends on the hour of the day and, for some hours, on past price moves. Source: Barber & Odean,
 * "All that glitters", RFS 2008, on attention. The tone of posts depends on the last day. Campaigns (see
 * `campaigns.ts`) add posts. The author and the tone are drawn first, so that posts can be counted without their texts.
 */
import { dayMs, hourMs, type SocialAccount, type SocialActivity, type SocialPost } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { momentum } from "../coin/momentum.ts"
import { BoundedCache } from "../kernel/cache.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { derive, type Key, normal, poisson, uniform } from "../kernel/random.ts"
import type { Whole } from "../kernel/whole.ts"
import type { World } from "../world.ts"
import { accountAt, type Author, hired, languageOf, newcomer, regular } from "./accounts.ts"
import { type Campaign, campaignsOf } from "./campaigns.ts"
import type { PostLanguage, Tone } from "./phrases.ts"
import { campaignText, personalText } from "./texts.ts"

/** A post without its text. */
export interface Draft {
  readonly time: number
  readonly author: Author
  readonly tone: Tone
  readonly sentiment: number
  readonly key: Key
  readonly campaign: Campaign | undefined
}

/** The activity by hour (UTC), a weighted mean over the three languages. */
const byHour = [
  0.95,
  0.9,
  0.85,
  0.8,
  0.78,
  0.8,
  0.85,
  0.92,
  1,
  1.02,
  1.04,
  1.06,
  1.12,
  1.2,
  1.25,
  1.25,
  1.2,
  1.15,
  1.1,
  1.05,
  1,
  1,
  1,
  0.98
]
const mostPerHour = 600
const cachedHours = 512
/** The number of cached hourly counts: more than two days of every coin. */
const cachedCounts = 16_384
/** The share of posts by newcomers, and its increase per unit of additional attention. */
const newcomerShare = { usual: 0.05, excited: 0.015 }
/**
 * The number of hours for which a move attracts attention. Each hour has three quarters of the weight of the hour
 * before.
 */
const memoryHours = 8
const forgetting = 0.75

const bySector: Readonly<Record<string, number>> = {
  meme: 1.7,
  ai: 1.2,
  stablecoin: 0.15,
  payments: 1.1,
  exchange: 0.8
}

/** The expected number of posts in a usual hour. */
export const usualPerHour = ({ spec }: CoinMarket): number =>
  0.4 * (spec.dailyVolumeUsd / 1e6) ** 0.45 * (bySector[spec.sector] ?? 1)

const communitySize = ({ spec }: CoinMarket): number => 250 + Math.round(26 * Math.sqrt(spec.dailyVolumeUsd / 1e6))

/** A post with all fields, including those of its account. */
export type WholePost = Whole<SocialPost> & { readonly account: Whole<SocialAccount> }

export class Posts {
  readonly #world: World
  readonly #people: Key
  readonly #hours = new BoundedCache<ReadonlyArray<Draft>>(cachedHours)
  readonly #counts = new BoundedCache<SocialActivity>(cachedCounts)

  constructor(world: World) {
    this.#world = world
    this.#people = world.key("people")
  }

  /** The attention to a coin in an hour, relative to a usual hour, from the price moves of the hours before. */
  attention(market: CoinMarket, hour: number): number {
    const typical = market.spec.dailySd / Math.sqrt(24)
    let later = market.logPrice(Math.max(hour * hourMs, market.listedAt))
    let sum = 0
    let weight = 1
    for (let ago = 1; ago <= memoryHours; ago++) {
      const time = (hour - ago) * hourMs
      if (time < market.listedAt) break
      const earlier = market.logPrice(time)
      sum += weight * Math.min(6, Math.max(0, Math.abs(later - earlier) / typical - 1.3))
      weight *= forgetting
      later = earlier
    }
    return Math.min(9, 1 + 0.9 * sum)
  }

  #organic(market: CoinMarket, hour: number): ReadonlyArray<Draft> {
    const { coin } = market.spec
    const time = hour * hourMs
    const community = this.#world.key(`community ${coin}`)
    const key = derive(this.#world.key(`posts ${coin}`), hour, 0)
    const interest = Math.exp(0.3 * stationaryNoise(community, time, 6 * hourMs, 32 * dayMs))
    const attention = this.attention(market, hour)
    const newcomers = newcomerShare.usual + newcomerShare.excited * (attention - 1)
    const mean = usualPerHour(market) * byHour[hour % 24]! * interest * attention
    const count = Math.min(mostPerHour, poisson(mean, key, 0))
    const mood = 0.7 * momentum(market, time, dayMs, 1.2) + 0.4 * momentum(market, time, 3 * hourMs, 1.2)
    const size = communitySize(market)
    const drafts: Array<Draft> = []
    for (let i = 0; i < count; i++) {
      const own = derive(key, i + 1, 0)
      const at = time + Math.floor(hourMs * uniform(own, 1))
      // A few authors write much, most write rarely.
      const author = uniform(own, 2) < newcomers
        ? newcomer(community, at, derive(own, 1, 1))
        : regular(this.#people, community, Math.floor(size * uniform(own, 3) ** 1.9), at)
      const lean = 0.75 * mood + 0.75 * normal(own, 4)
      const tone: Tone = lean > 0.35 ? "up" : lean < -0.35 ? "down" : "flat"
      drafts.push({
        time: at,
        author,
        tone,
        sentiment: Math.round(1000 * Math.tanh(0.9 * lean)) / 1000,
        key: own,
        campaign: undefined
      })
    }
    return drafts
  }

  #campaign(campaign: Campaign, hour: number): ReadonlyArray<Draft> {
    const key = derive(campaign.key, hour, 2)
    const count = Math.min(mostPerHour, poisson(campaign.perHour, key, 0))
    const drafts: Array<Draft> = []
    for (let i = 0; i < count; i++) {
      const own = derive(key, i + 1, 0)
      const time = hour * hourMs + Math.floor(hourMs * uniform(own, 1))
      if (time < campaign.startsAt || time >= campaign.endsAt) continue
      const author = hired(
        campaign.key,
        Math.floor(campaign.members * uniform(own, 2) ** 1.4),
        campaign.startsAt,
        campaign.care
      )
      const size = 0.55 + 0.4 * uniform(own, 4)
      const pump = campaign.aim === "pump"
      drafts.push({
        time,
        author,
        tone: pump ? "up" : "down",
        sentiment: Math.round(1000 * (pump ? size : -size)) / 1000,
        key: own,
        campaign
      })
    }
    return drafts
  }

  /** The posts of an hour (hours since 1970), by time. */
  hour(market: CoinMarket, hour: number): ReadonlyArray<Draft> {
    return this.#hours.get(`${market.spec.coin}/${hour}`, () => {
      const from = hour * hourMs
      const campaigns = campaignsOf(this.#world, market, from, from + hourMs, usualPerHour(market))
      return [this.#organic(market, hour), ...campaigns.map((campaign) => this.#campaign(campaign, hour))]
        .flat()
        .filter(({ time }) => time >= market.listedAt)
        .sort((a, b) => a.time - b.time || a.key.a - b.key.a)
    })
  }

  #post(market: CoinMarket, hour: number, index: number, draft: Draft): WholePost {
    const { time, author, campaign, key, tone } = draft
    const language: PostLanguage = campaign?.language ?? languageOf(author)
    const account = accountAt(author, time)
    const reach = Math.exp(-3.2 + 0.62 * Math.log1p(account.followers) + 0.9 * normal(key, 6))
    const likes = Math.floor(reach * (1 + 4 * Math.abs(draft.sentiment)))
    return {
      id: `${market.spec.coin.toLowerCase()}-${hour.toString(36)}-${index.toString(36)}`,
      time,
      platform: uniform(author.key, 21) < 0.7 ? "microblog" : language === "en" ? "forum" : "channel",
      account,
      coins: [market.spec.coin],
      text: campaign === undefined
        ? personalText(market, hour, this.attention(market, hour), tone, language, key)
        : campaignText(market, campaign, key),
      language,
      likes,
      reposts: Math.floor(likes * 0.3 * uniform(key, 7)),
      sentiment: draft.sentiment
    }
  }

  /** The newest `limit` posts of `[from, to)`, oldest first. */
  posts(market: CoinMarket, from: number, to: number, limit: number): ReadonlyArray<WholePost> {
    const newest: Array<WholePost> = []
    const first = Math.max(from, market.listedAt)
    for (let hour = Math.floor((to - 1) / hourMs); (hour + 1) * hourMs > first && newest.length < limit; hour--) {
      const drafts = this.hour(market, hour)
      for (let i = drafts.length - 1; i >= 0 && newest.length < limit; i--) {
        const draft = drafts[i]!
        if (draft.time >= from && draft.time < to) newest.push(this.#post(market, hour, i, draft))
      }
    }
    return newest.toReversed()
  }

  /** The counts of the posts in a bucket `[time, end)`. */
  activity(market: CoinMarket, time: number, end: number): SocialActivity {
    return end - time === hourMs
      ? this.#counts.get(`${market.spec.coin}/${time}`, () => this.#count(market, time, end))
      : this.#count(market, time, end)
  }

  #count(market: CoinMarket, time: number, end: number): SocialActivity {
    const authors = new Set<string>()
    let mentions = 0
    let sentiment = 0
    for (let hour = Math.floor(time / hourMs); hour * hourMs < end; hour++) {
      for (const draft of this.hour(market, hour)) {
        if (draft.time < time || draft.time >= end) continue
        mentions++
        sentiment += draft.sentiment
        authors.add(`${draft.author.key.a}/${draft.author.key.b}`)
      }
    }
    return { time, mentions, authors: authors.size, sentiment: mentions === 0 ? null : sentiment / mentions }
  }
}
