import { type Article, dayMs, hourMs } from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"
import type { Complete } from "../kernel/complete.ts"
import type { World } from "../world.ts"
import {
  makeDailyCloseStory,
  makeLiquidationStories,
  makeListingStories,
  makeMoveStories,
  makeTreasuryStories
} from "./coinStories.ts"
import { makeCompanyStories, type ReadClose } from "./companyStories.ts"
import { makeFeatureStories } from "./featureStories.ts"
import { makeMacroStories } from "./macroStories.ts"
import { makeUrl, pickOutlet } from "./outlets.ts"

/** An upper limit for the time between an event and the news story about the event. */
const maxDelayMs = 2 * hourMs
const cachedDays = 256
/** The number of cached closing prices. The cache is large enough for two days of every stock. */
const cachedCloses = 1_024

export class News {
  readonly #world: World
  readonly #days = new BoundedCache<ReadonlyArray<Complete<Article>>>(cachedDays)

  readonly #closes = new BoundedCache<ReturnType<ReadClose>>(cachedCloses)
  readonly #getClose: ReadClose = ({ spec, market }, closeAt) =>
    this.#closes.get(
      `${spec.symbol}/${closeAt}`,
      () => ({ price: market.price(closeAt), shares: market.getShareFactor(closeAt) })
    )

  constructor(world: World) {
    this.#world = world
  }

  /** Returns whether the articles of a day are cached. Computing the articles of a day takes about ten milliseconds. */
  hasCachedDay(day: number): boolean {
    return this.#days.find(day) !== undefined
  }

  /** Returns the articles published on a UTC day, counted from 1970-01-01, oldest first. */
  getDay(day: number): ReadonlyArray<Complete<Article>> {
    return this.#days.get(day, () => {
      const world = this.#world
      const start = day * dayMs
      const end = start + dayMs
      const from = start - maxDelayMs
      const stories = [
        makeDailyCloseStory(world, day),
        ...makeMoveStories(world, from, end),
        ...makeLiquidationStories(world, from, end),
        ...makeListingStories(world, from, end),
        ...makeTreasuryStories(world, from, end),
        ...makeMacroStories(world, from, end),
        ...makeCompanyStories(world, this.#getClose, from, end),
        ...makeFeatureStories(world, day)
      ]
      return stories
        .filter(({ time }) => time >= start && time < end)
        .sort((a, b) => a.time - b.time || a.key.a - b.key.a)
        .map((story, i): Complete<Article> => {
          const id = `${day.toString(36)}-${i.toString(36).padStart(2, "0")}`
          const source = pickOutlet(story.language, story.key)
          return {
            id,
            time: story.time,
            source,
            url: makeUrl(source, story.time, story.title, id),
            title: story.title,
            body: story.body,
            language: story.language,
            coins: story.coins,
            symbols: story.symbols,
            sentiment: story.sentiment
          }
        })
    })
  }

  /** Returns the newest `limit` articles of `[from, to)`, optionally about one coin or symbol, oldest first. */
  getArticles(query: {
    readonly from: number
    readonly to: number
    readonly limit: number
    readonly coin?: string | undefined
    readonly symbol?: string | undefined
  }): ReadonlyArray<Complete<Article>> {
    const { from, to, limit, coin, symbol } = query
    const newest: Array<Complete<Article>> = []
    for (let day = Math.floor((to - 1) / dayMs); (day + 1) * dayMs > from && newest.length < limit; day--) {
      for (const article of this.getDay(day).toReversed()) {
        if (article.time < from || article.time >= to || newest.length >= limit) continue
        if (coin !== undefined && !article.coins.includes(coin)) continue
        if (symbol !== undefined && !article.symbols.includes(symbol)) continue
        newest.push(article)
      }
    }
    return newest.toReversed()
  }
}
