/**
 * Simulates social posts about a coin, hour by hour. The rate of posts depends on the hour of the day and on past price
 * moves, which attract attention (Barber & Odean, "All that glitters", RFS 2008).
 */
import { dayMs, hourMs, type SocialAccount, type SocialActivity, type SocialPost } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { computeMomentum } from "../coin/momentum.ts"
import { BoundedCache } from "../kernel/cache.ts"
import type { Complete } from "../kernel/complete.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { deriveKey, drawNormal, drawPoisson, drawUniform, type Key } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { type Author, getAccount, getLanguage, makeHiredAuthor, makeNewcomer, makeRegularAuthor } from "./accounts.ts"
import { type Campaign, getCampaigns } from "./campaigns.ts"
import type { PostLanguage, Tone } from "./phrases.ts"
import { makeCampaignText, makePersonalText } from "./texts.ts"

/** A social post without its text. */
export interface PostDraft {
  readonly time: number
  readonly author: Author
  readonly tone: Tone
  readonly sentiment: number
  readonly key: Key
  readonly campaign: Campaign | undefined
}

/** The relative number of posts in each hour of the day (UTC). */
const activityByHour = [
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
const maxPostsPerHour = 600
const cachedHours = 512
/** The number of cached hourly counts, enough for more than two days of every coin. */
const cachedCounts = 16_384
/**
 * The fraction of posts that newcomers write. `base` applies to usual attention, and `perAttention` is added for each
 * unit of additional attention.
 */
const newcomerShare = { base: 0.05, perAttention: 0.015 }
/** The number of hours for which a price move attracts attention. */
const attentionMemoryHours = 8
/** The factor by which the attention to a price move decreases every hour. */
const attentionDecay = 0.75

const activityBySector: Readonly<Record<string, number>> = {
  meme: 1.7,
  ai: 1.2,
  stablecoin: 0.15,
  payments: 1.1,
  exchange: 0.8
}

/** Returns the expected number of posts about a coin in a usual hour. */
export const getUsualPostsPerHour = ({ spec }: CoinMarket): number =>
  0.4 * (spec.dailyVolumeUsd / 1e6) ** 0.45 * (activityBySector[spec.sector] ?? 1)

const getCommunitySize = ({ spec }: CoinMarket): number => 250 + Math.round(26 * Math.sqrt(spec.dailyVolumeUsd / 1e6))

export type CompletePost = Complete<SocialPost> & { readonly account: Complete<SocialAccount> }

export class Posts {
  readonly #world: World
  readonly #peopleKey: Key
  readonly #hours = new BoundedCache<ReadonlyArray<PostDraft>>(cachedHours)
  readonly #counts = new BoundedCache<SocialActivity>(cachedCounts)

  constructor(world: World) {
    this.#world = world
    this.#peopleKey = world.getKey("people")
  }

  /**
   * Returns the attention to a coin in an hour, relative to a usual hour. Attention depends on the price moves of the
   * preceding hours.
   */
  getAttention(market: CoinMarket, hour: number): number {
    const typical = market.spec.dailySd / Math.sqrt(24)
    let later = market.logPrice(Math.max(hour * hourMs, market.listedAt))
    let sum = 0
    let weight = 1
    for (let ago = 1; ago <= attentionMemoryHours; ago++) {
      const time = (hour - ago) * hourMs
      if (time < market.listedAt) break
      const earlier = market.logPrice(time)
      sum += weight * Math.min(6, Math.max(0, Math.abs(later - earlier) / typical - 1.3))
      weight *= attentionDecay
      later = earlier
    }
    return Math.min(9, 1 + 0.9 * sum)
  }

  #makeOrganicPosts(market: CoinMarket, hour: number): ReadonlyArray<PostDraft> {
    const { coin } = market.spec
    const time = hour * hourMs
    const community = this.#world.getKey(`community ${coin}`)
    const key = deriveKey(this.#world.getKey(`posts ${coin}`), hour, 0)
    const interest = Math.exp(0.3 * stationaryNoise(community, time, 6 * hourMs, 32 * dayMs))
    const attention = this.getAttention(market, hour)
    const newcomers = newcomerShare.base + newcomerShare.perAttention * (attention - 1)
    const mean = getUsualPostsPerHour(market) * activityByHour[hour % 24]! * interest * attention
    const count = Math.min(maxPostsPerHour, drawPoisson(mean, key, 0))
    const mood = 0.7 * computeMomentum(market, time, dayMs, 1.2) + 0.4 * computeMomentum(market, time, 3 * hourMs, 1.2)
    const size = getCommunitySize(market)
    const drafts: Array<PostDraft> = []
    for (let i = 0; i < count; i++) {
      const postKey = deriveKey(key, i + 1, 0)
      const postTime = time + Math.floor(hourMs * drawUniform(postKey, 1))
      // A few authors write many posts, and most authors write few.
      const author = drawUniform(postKey, 2) < newcomers
        ? makeNewcomer(community, postTime, deriveKey(postKey, 1, 1))
        : makeRegularAuthor(this.#peopleKey, community, Math.floor(size * drawUniform(postKey, 3) ** 1.9), postTime)
      const moodDraw = 0.75 * mood + 0.75 * drawNormal(postKey, 4)
      const tone: Tone = moodDraw > 0.35 ? "up" : moodDraw < -0.35 ? "down" : "flat"
      drafts.push({
        time: postTime,
        author,
        tone,
        sentiment: Math.round(1000 * Math.tanh(0.9 * moodDraw)) / 1000,
        key: postKey,
        campaign: undefined
      })
    }
    return drafts
  }

  #makeCampaignPosts(campaign: Campaign, hour: number): ReadonlyArray<PostDraft> {
    const key = deriveKey(campaign.key, hour, 2)
    const count = Math.min(maxPostsPerHour, drawPoisson(campaign.postsPerHour, key, 0))
    const drafts: Array<PostDraft> = []
    for (let i = 0; i < count; i++) {
      const postKey = deriveKey(key, i + 1, 0)
      const time = hour * hourMs + Math.floor(hourMs * drawUniform(postKey, 1))
      if (time < campaign.startsAt || time >= campaign.endsAt) continue
      const author = makeHiredAuthor(
        campaign.key,
        Math.floor(campaign.memberCount * drawUniform(postKey, 2) ** 1.4),
        campaign.startsAt,
        campaign.concealment
      )
      const size = 0.55 + 0.4 * drawUniform(postKey, 4)
      const isPump = campaign.goal === "pump"
      drafts.push({
        time,
        author,
        tone: isPump ? "up" : "down",
        sentiment: Math.round(1000 * (isPump ? size : -size)) / 1000,
        key: postKey,
        campaign
      })
    }
    return drafts
  }

  getHour(market: CoinMarket, hour: number): ReadonlyArray<PostDraft> {
    return this.#hours.get(`${market.spec.coin}/${hour}`, () => {
      const from = hour * hourMs
      const campaigns = getCampaigns(this.#world, market, from, from + hourMs, getUsualPostsPerHour(market))
      return [
        this.#makeOrganicPosts(market, hour),
        ...campaigns.map((campaign) => this.#makeCampaignPosts(campaign, hour))
      ]
        .flat()
        .filter(({ time }) => time >= market.listedAt)
        .sort((a, b) => a.time - b.time || a.key.a - b.key.a)
    })
  }

  #makePost(market: CoinMarket, hour: number, index: number, draft: PostDraft): CompletePost {
    const { time, author, campaign, key, tone } = draft
    const language: PostLanguage = campaign?.language ?? getLanguage(author)
    const account = getAccount(author, time)
    const audience = Math.exp(-3.2 + 0.62 * Math.log1p(account.followers) + 0.9 * drawNormal(key, 6))
    const likes = Math.floor(audience * (1 + 4 * Math.abs(draft.sentiment)))
    return {
      id: `${market.spec.coin.toLowerCase()}-${hour.toString(36)}-${index.toString(36)}`,
      time,
      platform: drawUniform(author.key, 21) < 0.7 ? "microblog" : language === "en" ? "forum" : "channel",
      account,
      coins: [market.spec.coin],
      text: campaign === undefined
        ? makePersonalText(market, hour, this.getAttention(market, hour), tone, language, key)
        : makeCampaignText(market, campaign, key),
      language,
      likes,
      reposts: Math.floor(likes * 0.3 * drawUniform(key, 7)),
      sentiment: draft.sentiment
    }
  }

  /** Returns the newest `limit` posts in `[from, to)`, oldest first. */
  getPosts(market: CoinMarket, from: number, to: number, limit: number): ReadonlyArray<CompletePost> {
    const newest: Array<CompletePost> = []
    const first = Math.max(from, market.listedAt)
    for (let hour = Math.floor((to - 1) / hourMs); (hour + 1) * hourMs > first && newest.length < limit; hour--) {
      const drafts = this.getHour(market, hour)
      for (let i = drafts.length - 1; i >= 0 && newest.length < limit; i--) {
        const draft = drafts[i]!
        if (draft.time >= from && draft.time < to) newest.push(this.#makePost(market, hour, i, draft))
      }
    }
    return newest.toReversed()
  }

  /** Returns the number of posts and authors, and the mean sentiment, in `[time, end)`. */
  getActivity(market: CoinMarket, time: number, end: number): SocialActivity {
    return end - time === hourMs
      ? this.#counts.get(`${market.spec.coin}/${time}`, () => this.#countPosts(market, time, end))
      : this.#countPosts(market, time, end)
  }

  #countPosts(market: CoinMarket, time: number, end: number): SocialActivity {
    const authors = new Set<string>()
    let mentions = 0
    let sentiment = 0
    for (let hour = Math.floor(time / hourMs); hour * hourMs < end; hour++) {
      for (const draft of this.getHour(market, hour)) {
        if (draft.time < time || draft.time >= end) continue
        mentions++
        sentiment += draft.sentiment
        authors.add(`${draft.author.key.a}/${draft.author.key.b}`)
      }
    }
    return { time, mentions, authors: authors.size, sentiment: mentions === 0 ? null : sentiment / mentions }
  }
}
