import { type Article, NewsFeed } from "@tapeline/core/market"
import type { NewsFeedSource } from "@tapeline/market-live"
import { feedPath } from "@tapeline/wire"
import { Clock, Effect } from "effect"
import type { WeekMarket } from "./weekMarket.ts"

type Feed = NewsFeed["Service"]

/** The publishers whose feeds are collected: one for each language, each with another feed format. */
const publishers = [
  { name: "open-interest", publisher: "The Open Interest", language: "en" },
  { name: "blocktimes", publisher: "블록타임스 서울", language: "ko" },
  { name: "bourse-beacon", publisher: "Биржевой маяк", language: "ru" }
]

/** The maximum age of an article in a feed, in days. */
export const feedDays = 9

export const makeWeekFeeds = (url: string): ReadonlyArray<NewsFeedSource> =>
  publishers.map((one) => ({ ...one, url: `${url}${feedPath(one.publisher)}` }))

export const servedNews = (sim: Feed): Feed => {
  const cache = new Map<number, Effect.Success<ReturnType<Feed["articles"]>>>()
  return NewsFeed.of({
    articles: (query) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const articles = cache.get(now) ?? (yield* sim.articles(query))
        cache.clear()
        cache.set(now, articles)
        return articles
      })
  })
}

/** Patterns of coin names in texts. A pattern does not match within a longer name of another coin. */
export const coinNamePatterns: Readonly<Record<string, RegExp>> = {
  BTC: /\bBTC\b|bitcoin(?! cash)|비트코인(?! ?캐시)|биткоин/iu,
  ETH: /\bETH\b|ethereum(?! classic)|이더리움(?! ?클래식)|эфириум/iu,
  SOL: /[$#]SOL\b|solana|솔라나/iu,
  XRP: /\bXRP\b|엑스알피/iu
}

/**
 * Returns the coins of an article: first the tracked coins that the publisher names, then the other tracked coins in
 * its text.
 */
const coinsMentionedIn = ({ body, coins, title }: Article, tracked: ReadonlyArray<string>): ReadonlyArray<string> => {
  const listed = coins.filter((coin) => tracked.includes(coin))
  const mentionIndex = (coin: string) => `${title} ${body}`.search(coinNamePatterns[coin]!)
  const named = tracked.filter((coin) => !listed.includes(coin) && mentionIndex(coin) >= 0)
  return [...listed, ...named.sort((a, b) => mentionIndex(a) - mentionIndex(b))]
}

/**
 * Returns an article in the form of a feed: with dates in whole seconds for RSS, and without sentiment and stock
 * symbols.
 */
const toFeedArticle = (tracked: ReadonlyArray<string>) => (article: Article): Article => ({
  ...article,
  ...(article.language === "en"
    ? { time: Math.floor(article.time / 1_000) * 1_000, url: `${article.url}?utm_source=rss` }
    : {}),
  coins: coinsMentionedIn(article, tracked),
  symbols: [],
  sentiment: null
})

/** Returns the articles of the collected publishers since the start of recording. */
export const recordedNews = (sim: Feed, { coins, newsBegin }: WeekMarket): Feed => {
  const followedPublishers = new Set(publishers.map(({ publisher }) => publisher))
  const toFed = toFeedArticle(coins.map(({ coin }) => coin))
  return NewsFeed.of({
    articles: Effect.fnUntraced(function*({ coin, limit = 1_000, ...query }) {
      const now = yield* Clock.currentTimeMillis
      const all = yield* sim.articles({ ...query, from: Math.max(query.from, newsBegin), limit: 100_000 })
      const feedItems = all.value.filter(({ source }) => followedPublishers.has(source)).map(toFed)
      const matching = feedItems.filter((article) => coin === undefined || article.coins.includes(coin)).slice(-limit)
      return { ...all, value: matching, asOf: matching.at(-1)?.time ?? now }
    })
  })
}
