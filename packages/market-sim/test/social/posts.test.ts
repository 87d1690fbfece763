import { dayMs, hourMs } from "@tapeline/core/market"
import { sentiment } from "@tapeline/quant/sentiment"
import { isFullRun } from "@tapeline/testing/fullRun"
import { expect, test } from "vitest"
import { getCampaigns } from "../../src/social/campaigns.ts"
import { Posts } from "../../src/social/Posts.ts"
import { makeWorld } from "../../src/world.ts"
import { computeCorrelation, computeMean } from "../support/statistics.ts"

const now = Date.parse("2026-09-30T12:34:56Z")
const world = makeWorld(5)
const posts = new Posts(world)

test("mentions grow after price moves, and sentiment follows the return of the last day", () => {
  const market = world.coin("SOL")!
  const hours = Array.from({ length: isFullRun ? 4_000 : 800 }, (_, i) => Math.floor(now / hourMs) - i)
    .filter((hour) => getCampaigns(world, market, hour * hourMs, (hour + 1) * hourMs, 1).length === 0)
  const activity = hours.map((hour) => posts.getActivity(market, hour * hourMs, (hour + 1) * hourMs))
  const size = hours.map((hour) => Math.abs(market.logPrice(hour * hourMs) - market.logPrice((hour - 3) * hourMs)))
  const day = hours.map((hour) => market.logPrice(hour * hourMs) - market.logPrice((hour - 24) * hourMs))
  expect(computeCorrelation(activity.map(({ mentions }) => mentions), size)).toBeGreaterThan(0.4)
  expect(computeCorrelation(activity.map((bucket) => bucket.sentiment ?? 0), day)).toBeGreaterThan(0.5)
  expect(computeMean(activity.map(({ authors, mentions }) => mentions === 0 ? 1 : authors / mentions))).toBeGreaterThan(
    0.8
  )
})

test("campaigns are independent of the price", () => {
  const moves: Array<number> = []
  for (const { coin, dailySd, isStablecoin } of world.coins) {
    if (isStablecoin) continue
    const market = world.coin(coin)!
    for (const { startsAt } of getCampaigns(world, market, now - (isFullRun ? 730 : 240) * dayMs, now, 1)) {
      if (startsAt - dayMs < market.listedAt) continue
      moves.push((market.logPrice(startsAt) - market.logPrice(startsAt - 6 * hourMs)) / (dailySd / 2))
    }
  }
  expect(moves.length).toBeGreaterThan(200)
  expect(Math.abs(computeMean(moves))).toBeLessThan(3 / Math.sqrt(moves.length) + 0.05)
  expect(computeMean(moves.map(Math.abs))).toBeLessThan(1.1)
})

test("counts agree with the posts, and each post is consistent", () => {
  for (const coin of ["BTC", "PEPE", "IMX"]) {
    const market = world.coin(coin)!
    const from = Math.floor(now / hourMs) * hourMs - 12 * hourMs
    const list = posts.getPosts(market, from, now, 10_000)
    expect(new Set(list.map((post) => post.id)).size).toBe(list.length)
    for (let time = from; time < now; time += hourMs) {
      const within = list.filter((post) => post.time >= time && post.time < time + hourMs)
      const bucket = posts.getActivity(market, time, Math.min(time + hourMs, now))
      expect(bucket.mentions).toBe(within.length)
      expect(bucket.authors).toBe(new Set(within.map((post) => post.account.handle)).size)
      expect(bucket.sentiment ?? 0).toBeCloseTo(
        within.length === 0 ? 0 : computeMean(within.map((post) => post.sentiment)),
        9
      )
    }
    for (const [i, post] of list.entries()) {
      expect(post.time).toBeGreaterThanOrEqual(list[i - 1]?.time ?? from)
      expect(post.account.createdAt).toBeLessThan(post.time)
      expect(Math.abs(post.sentiment)).toBeLessThanOrEqual(1)
      expect(post.text).not.toMatch(/[[\]{}<>]|undefined|NaN/u)
      expect(post.coins).toEqual([coin])
    }
    expect(posts.getPosts(market, from, now, 5)).toEqual(list.slice(-5))
  }
})

test("the text of a post has the sentiment of the post, in three languages", () => {
  const market = world.coin("ETH")!
  const list = posts.getPosts(market, now - 3 * dayMs, now, 3_000)
  for (const language of ["en", "ko", "ru"]) {
    const languagePosts = list.filter((post) => post.language === language)
    expect(languagePosts.length).toBeGreaterThan(60)
    expect(
      computeCorrelation(
        languagePosts.map((post) => post.sentiment),
        languagePosts.map((post) => sentiment(post.text).score)
      )
    )
      .toBeGreaterThan(0.35)
  }
  expect(new Set(list.map((post) => post.text)).size / list.length).toBeGreaterThan(0.8)
})

test("the same query returns the same bytes, in any order of queries", () => {
  const hours = [3, 500, 40, 7_000].map((ago) => Math.floor(now / hourMs) - ago)
  const take = (source: Posts, coin: string, hour: number) =>
    JSON.stringify(source.getPosts(makeWorld(5).coin(coin)!, hour * hourMs, (hour + 1) * hourMs, 500))
  const forwards = hours.map((hour) => take(posts, "DOGE", hour))
  for (const [i, hour] of [...hours.entries()].toReversed()) {
    expect(take(new Posts(makeWorld(5)), "DOGE", hour)).toBe(forwards[i])
  }
})
