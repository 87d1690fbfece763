import { type Article, NewsFeed } from "@tapeline/core/market"
import type { NewsFeedSource } from "@tapeline/market-live"
import { feedPath } from "@tapeline/wire"
import { Clock, Effect } from "effect"
import type { WeekMarket } from "./weekMarket.ts"

type Feed = NewsFeed["Service"]

/** Publishers whose feeds are read, of each language one: its feed is of another format. */
const publishers = [
  { name: "open-interest", publisher: "The Open Interest", language: "en" },
  { name: "blocktimes", publisher: "블록타임스 서울", language: "ko" },
  { name: "bourse-beacon", publisher: "Биржевой маяк", language: "ru" }
]

/** A feed tells what is that old at most. */
export const fedDays = 9

export const weekFeeds = (url: string): ReadonlyArray<NewsFeedSource> =>
  publishers.map((one) => ({ ...one, url: `${url}${feedPath(one.publisher)}` }))

/** What is told at an instant is looked up once for all feeds. */
export const newsOnWire = (sim: Feed): Feed => {
  const known = new Map<number, Effect.Success<ReturnType<Feed["articles"]>>>()
  return NewsFeed.of({
    articles: (query) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const told = known.get(now) ?? (yield* sim.articles(query))
        known.clear()
        known.set(now, told)
        return told
      })
  })
}

/** An article as its feed tells it: dates of RSS are of whole seconds, and nobody tells tones, or tickers of stocks. */
const fed = (article: Article): Article => ({
  ...article,
  ...(article.language === "en"
    ? { time: Math.floor(article.time / 1_000) * 1_000, url: `${article.url}?utm_source=rss` }
    : {}),
  symbols: [],
  sentiment: null
})

/** What publishers whose feeds are read have told since the beginning of the record. */
export const newsAsFed = (sim: Feed, { newsBegin }: WeekMarket): Feed => {
  const read = new Set(publishers.map(({ publisher }) => publisher))
  return NewsFeed.of({
    articles: Effect.fnUntraced(function*({ limit = 1_000, ...query }) {
      const now = yield* Clock.currentTimeMillis
      const all = yield* sim.articles({ ...query, from: Math.max(query.from, newsBegin), limit: 100_000 })
      const told = all.value.filter(({ source }) => read.has(source)).map(fed).slice(-limit)
      return { ...all, value: told, asOf: told.at(-1)?.time ?? now }
    })
  })
}
