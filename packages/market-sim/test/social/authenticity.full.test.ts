import { dayMs, hourMs, type SocialPost } from "@tapeline/core/market"
import { hammingDistance64, minhash, minhashSimilarity, shingles, simhash64 } from "@tapeline/quant/text"
import { isFullRun } from "@tapeline/testing/fullRun"
import { expect, test } from "vitest"
import { getCampaigns } from "../../src/social/campaigns.ts"
import { getUsualPostsPerHour, Posts } from "../../src/social/Posts.ts"
import { makeWorld } from "../../src/world.ts"
import { computeMean } from "../support/statistics.ts"

const now = Date.parse("2026-09-30T12:00:00Z")
const windowMs = 12 * hourMs
/**
 * `sample` is the number of examined posts. The simhash of each post is compared with the simhashes of its `neighbours`
 * in time.
 */
const sample = 160
const neighbours = 12

interface Measures {
  /** The share of posts that another author nearly copied within the window. */
  readonly duplication: number
  /**
   * The share of posts by the ten busiest authors, minus the share that they would have if all authors were equally
   * busy.
   */
  readonly concentration: number
  /** The share of posts by accounts younger than 60 days. */
  readonly youngAccountShare: number
  /** The share of pairs of posts, close in time, that have close simhashes. */
  readonly coherence: number
}

const measure = (posts: ReadonlyArray<SocialPost>): Measures => {
  const signatures = posts.map(({ text, language }) =>
    minhash(shingles(text, language === "ko" ? 4 : 2, language === "ko" ? "character" : "word"))
  )
  const hashes = posts.map(({ text }) => simhash64(text))
  let copies = 0
  let close = 0
  let pairs = 0
  for (let i = 0; i < posts.length; i++) {
    let copied = false
    for (let j = 0; j < posts.length; j++) {
      if (i === j) continue
      if (minhashSimilarity(signatures[i]!, signatures[j]!) >= 0.6) copied = true
      if (j > i && j <= i + neighbours) {
        pairs++
        if (hammingDistance64(hashes[i]!, hashes[j]!) <= 12) close++
      }
    }
    if (copied) copies++
  }
  const byAuthor = Map.groupBy(posts, (post) => post.account.handle)
  const busiest = [...byAuthor.values()].map((list) => list.length).sort((a, b) => b - a).slice(0, 10)
  const even = Math.min(1, 10 / byAuthor.size)
  return {
    duplication: copies / posts.length,
    concentration: busiest.reduce((sum, count) => sum + count, 0) / posts.length - even,
    youngAccountShare: computeMean(posts.map((post) => post.time - post.account.createdAt! < 60 * dayMs ? 1 : 0)),
    coherence: pairs === 0 ? 0 : close / pairs
  }
}

/**
 * Returns the probability that a random value of the first list exceeds a random value of the second list. Ties count
 * half.
 */
const auc = (positive: ReadonlyArray<number>, negative: ReadonlyArray<number>): number => {
  let wins = 0
  for (const p of positive) for (const n of negative) wins += p > n ? 1 : p === n ? 0.5 : 0
  return wins / (positive.length * negative.length)
}

test("measures of the posts separate manufactured episodes from organic ones", () => {
  const world = makeWorld(2_026)
  const posts = new Posts(world)
  const campaignMeasures: Array<Measures> = []
  const organic: Array<Measures> = []
  const coins = isFullRun
    ? world.coins.filter((spec) => !spec.isStablecoin).map((spec) => spec.coin)
    : ["BTC", "DOGE", "PEPE", "ARB", "IMX"]
  for (const coin of coins) {
    const market = world.coin(coin)!
    const from = Math.max(market.listedAt + 30 * dayMs, now - (isFullRun ? 365 : 180) * dayMs)
    const campaigns = getCampaigns(world, market, from, now, getUsualPostsPerHour(market))
    for (const { endsAt } of campaigns.slice(-6)) {
      campaignMeasures.push(measure(posts.getPosts(market, endsAt - windowMs, endsAt, sample)))
    }
    // The organic windows are the busiest half days and ordinary half days, all without any campaign.
    const hours = Array.from({ length: isFullRun ? 730 : 360 }, (_, i) => Math.floor(now / hourMs) - 12 * i)
    const hoursWithoutCampaign = hours.filter((hour) => {
      const end = hour * hourMs
      return getCampaigns(world, market, end - windowMs - hourMs, end + hourMs, getUsualPostsPerHour(market)).length ===
        0
    })
    const busyHours = hoursWithoutCampaign.toSorted((a, b) =>
      posts.getAttention(market, b - 3) - posts.getAttention(market, a - 3)
    ).slice(
      0,
      8
    )
    for (const hour of [...busyHours, ...hoursWithoutCampaign.slice(0, 4)]) {
      const window = posts.getPosts(market, hour * hourMs - windowMs, hour * hourMs, sample)
      if (window.length >= 10) organic.push(measure(window))
    }
  }
  expect(campaignMeasures.length).toBeGreaterThan(20)
  expect(organic.length).toBeGreaterThan(40)
  const measureAuc = (getMeasure: (measures: Measures) => number): number =>
    auc(campaignMeasures.map(getMeasure), organic.map(getMeasure))
  const combined = measureAuc(({ duplication, concentration, youngAccountShare, coherence }) =>
    duplication + concentration + youngAccountShare + coherence
  )
  const report = {
    duplication: measureAuc((m) => m.duplication),
    concentration: measureAuc((m) => m.concentration),
    youngAccountShare: measureAuc((m) => m.youngAccountShare),
    coherence: measureAuc((m) => m.coherence),
    combined
  }
  expect(combined, JSON.stringify(report)).toBeGreaterThanOrEqual(0.9)
  for (const [name, value] of Object.entries(report)) {
    expect(value, `${name} ${JSON.stringify(report)}`).toBeGreaterThan(0.75)
  }
  // Organic posts also contain copies, so a window without copies is not always organic.
  expect(computeMean(organic.map((m) => m.duplication)), JSON.stringify(report)).toBeGreaterThan(0.01)
}, 120_000)
