import { dayMs, hourMs } from "@tapeline/core/market"
import { sentiment } from "@tapeline/quant/sentiment"
import { jaccard, shingles } from "@tapeline/quant/text"
import { isFullRun } from "@tapeline/testing/fullRun"
import { expect, test } from "vitest"
import { News } from "../../src/news/articles.ts"
import { formatPercent } from "../../src/news/story.ts"
import { makeWorld } from "../../src/world.ts"
import { computeCorrelation } from "../support/statistics.ts"

const now = Date.parse("2026-08-14T13:37:00Z")
const world = makeWorld(17)
const news = new News(world)
const articles = news.getArticles({ from: now - (isFullRun ? 365 : 60) * dayMs, to: now, limit: 1e6 })

test("the feed has thousands of complete articles a year", () => {
  const perYear = articles.length * 365 / (isFullRun ? 365 : 60)
  expect(perYear).toBeGreaterThan(3_000)
  // The usual run covers only two months. Volatile months have more news, so the limit is higher.
  expect(perYear).toBeLessThan(isFullRun ? 12_000 : 18_000)
  expect(new Set(articles.map(({ id }) => id)).size).toBe(articles.length)
  expect(new Set(articles.map(({ url }) => url)).size).toBe(articles.length)
  for (const [i, article] of articles.entries()) {
    expect(article.time).toBeGreaterThanOrEqual(articles[i - 1]?.time ?? 0)
    expect(article.time).toBeLessThan(now)
    expect(article.url).toMatch(/^https:\/\/news\.example\/[a-z-]+\/\d{4}\/\d\d\/\d\d\/[a-z0-9-]+$/u)
    expect(article.title.length).toBeGreaterThan(8)
    expect(article.body.length).toBeGreaterThan(60)
    expect(`${article.title} ${article.body}`).not.toMatch(/[[\]{}|<>]|undefined|NaN|null/u)
    expect(Math.abs(article.sentiment)).toBeLessThanOrEqual(1)
    for (const coin of article.coins) expect(world.coin(coin)).toBeDefined()
    for (const symbol of article.symbols) expect(world.equities.getStock(symbol)).toBeDefined()
  }
  expect(new Set(articles.map(({ language }) => language))).toEqual(new Set(["en", "ko", "ru"]))
})

test("every strong move is reported after its end, with its sign and size", () => {
  let toldCount = 0
  for (const market of world.markets) {
    const { coin, dailySd, isStablecoin } = market.spec
    if (isStablecoin) continue
    for (const move of market.findMoves("4h", now - 40 * dayMs, now - 2 * hourMs, 2.6 * dailySd / Math.sqrt(6))) {
      const size = formatPercent(move.to / move.from - 1)
      const story = articles.find((article) =>
        article.time >= move.endAt && article.time < move.endAt + 2 * hourMs && article.coins.includes(coin) &&
        article.title.includes(size)
      )
      expect(story, `${coin} ${new Date(move.endAt).toISOString()} ${size}`).toBeDefined()
      expect(Math.sign(story!.sentiment)).toBe(Math.sign(move.change))
      toldCount++
    }
  }
  expect(toldCount).toBeGreaterThan(60)
})

test("releases, results and listings are reported after they occur, and results have the right tone", () => {
  const cpi = articles.filter(({ title }) => title.startsWith("US CPI YoY"))
  expect(cpi.length).toBeGreaterThanOrEqual(1)
  const results = articles.filter(({ title }) => /estimates/u.test(title))
  expect(results.length).toBeGreaterThan(30)
  for (const { title, sentiment } of results) {
    expect(Math.sign(sentiment)).toBe(/beats|tops/u.test(title) ? 1 : /meets/u.test(title) ? 0 : -1)
  }
  const listings = world.korea.getListings(now - 50 * dayMs, now - dayMs)
  expect(listings.length).toBeGreaterThan(5)
  for (const { coin, listedAt } of listings) {
    const article = articles.find((article) =>
      article.coins.includes(coin) && article.time >= listedAt && article.time < listedAt + 2 * hourMs &&
      /원화 마켓|won trading/u.test(article.title)
    )
    expect(article, coin).toBeDefined()
  }
})

test("Korean articles use a company's Korean name and mention its English name", () => {
  const stories = articles.filter(({ language, symbols }) => language === "ko" && symbols.length > 0)
  expect(stories.length).toBeGreaterThan(50)
  for (const { body, symbols: [symbol], title } of stories) {
    const { koreanName, name } = world.equities.getStock(symbol!)!.spec
    expect(title.startsWith(koreanName), title).toBe(true)
    expect(body, title).toContain(koreanName)
    expect(body, title).toContain(name)
  }
})

test("an article's text has the article's sentiment, and bodies are varied", () => {
  for (const language of ["en", "ko", "ru"]) {
    const strongArticles = articles.filter((article) =>
      article.language === language && Math.abs(article.sentiment) > 0.4
    )
    const agree = computeCorrelation(
      strongArticles.map((article) => article.sentiment),
      strongArticles.map(({ title, body }) => sentiment(`${title}. ${body}`).score)
    )
    expect(agree, language).toBeGreaterThan(0.3)
  }
  const english = articles.filter(({ language }) => language === "en").slice(-150).map(({ body }) => shingles(body, 3))
  let similarPairs = 0
  let pairs = 0
  for (let i = 0; i < english.length; i++) {
    for (let j = 0; j < i; j++) {
      pairs++
      if (jaccard(english[i]!, english[j]!) > 0.5) similarPairs++
    }
  }
  expect(similarPairs / pairs).toBeLessThan(0.02)
})

test("news of a coin or symbol are all articles that name it, and a limit keeps the newest", () => {
  const from = now - 30 * dayMs
  const doge = news.getArticles({ from, to: now, limit: 1e6, coin: "DOGE" })
  expect(doge).toEqual(articles.filter((article) => article.time >= from && article.coins.includes("DOGE")))
  expect(doge.length).toBeGreaterThan(3)
  const nvidia = news.getArticles({ from: now - 60 * dayMs, to: now, limit: 1e6, symbol: "NVDA" })
  expect(nvidia.every(({ symbols }) => symbols.includes("NVDA"))).toBe(true)
  expect(nvidia.length).toBeGreaterThan(1)
  expect(news.getArticles({ from, to: now, limit: 7 })).toEqual(articles.slice(-7))
})

test("a world of the same seed has the same bytes, read in reverse order", () => {
  const other = new News(makeWorld(17))
  const days = [0, 9, 3, 33].map((ago) => Math.floor(now / dayMs) - ago)
  for (const day of days.toReversed()) expect(JSON.stringify(other.getDay(day))).toBe(JSON.stringify(news.getDay(day)))
})
