/** The news of the world: all stories of a day, as published articles. */
import { type Article, dayMs, hourMs } from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"
import type { Whole } from "../kernel/whole.ts"
import type { World } from "../world.ts"
import { liquidationStories, listingStories, moveStories, treasuryStories, wrapStory } from "./coinStories.ts"
import { type Closes, companyStories } from "./companyStories.ts"
import { featureStories } from "./features.ts"
import { macroStories } from "./macroStories.ts"
import { outletFor, urlOf } from "./outlets.ts"

/** The maximum time from an event to its story, with a margin. */
const longestDelayMs = 2 * hourMs
const cachedDays = 256
/** More than two days' closes of every stock: each day needs the day before. */
const cachedCloses = 1_024

export class News {
  readonly #world: World
  readonly #days = new BoundedCache<ReadonlyArray<Whole<Article>>>(cachedDays)

  readonly #closes = new BoundedCache<ReturnType<Closes>>(cachedCloses)
  readonly #close: Closes = ({ spec, market }, closeAt) =>
    this.#closes.get(
      `${spec.symbol}/${closeAt}`,
      () => ({ price: market.price(closeAt), shares: market.shareFactor(closeAt) })
    )

  constructor(world: World) {
    this.#world = world
  }

  /** Returns whether a day is cached. Computing a day takes some ten milliseconds. */
  holds(day: number): boolean {
    return this.#days.find(day) !== undefined
  }

  /** The articles published on a day (UTC, counted from 1970), by time. */
  day(day: number): ReadonlyArray<Whole<Article>> {
    return this.#days.get(day, () => {
      const world = this.#world
      const start = day * dayMs
      const end = start + dayMs
      const from = start - longestDelayMs
      const stories = [
        wrapStory(world, day),
        ...moveStories(world, from, end),
        ...liquidationStories(world, from, end),
        ...listingStories(world, from, end),
        ...treasuryStories(world, from, end),
        ...macroStories(world, from, end),
        ...companyStories(world, this.#close, from, end),
        ...featureStories(world, day)
      ]
      return stories
        .filter(({ time }) => time >= start && time < end)
        .sort((a, b) => a.time - b.time || a.key.a - b.key.a)
        .map((story, i): Whole<Article> => {
          const id = `${day.toString(36)}-${i.toString(36).padStart(2, "0")}`
          const source = outletFor(story.language, story.key)
          return {
            id,
            time: story.time,
            source,
            url: urlOf(source, story.time, story.title, id),
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

  /** The newest `limit` articles of `[from, to)`, oldest first: all of them, or those about one coin or symbol. */
  articles(query: {
    readonly from: number
    readonly to: number
    readonly limit: number
    readonly coin?: string | undefined
    readonly symbol?: string | undefined
  }): ReadonlyArray<Whole<Article>> {
    const { from, to, limit, coin, symbol } = query
    const newest: Array<Whole<Article>> = []
    for (let day = Math.floor((to - 1) / dayMs); (day + 1) * dayMs > from && newest.length < limit; day--) {
      for (const article of this.day(day).toReversed()) {
        if (article.time < from || article.time >= to || newest.length >= limit) continue
        if (coin !== undefined && !article.coins.includes(coin)) continue
        if (symbol !== undefined && !article.symbols.includes(symbol)) continue
        newest.push(article)
      }
    }
    return newest.toReversed()
  }
}
