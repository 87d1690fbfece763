import { Effect } from "effect"
import { newestFirst, TopItems } from "./articleOrder.ts"
import { innerProduct } from "./integerVector.ts"
import type { FoundArticle, IndexedArticle, IndexedDay, NewsFilter, NewsIndexService } from "./NewsIndex.ts"

type Query<Name extends keyof NewsIndexService> = Parameters<NewsIndexService[Name]>[0]

interface StoredArticle extends IndexedArticle {
  readonly day: number
  readonly termSet: ReadonlySet<number>
}

/** The number of articles after which a search yields to other fibers. */
const articlesPerYield = 5_000

class ModelIndex {
  readonly days = new Map<number, IndexedDay>()
  readonly articles = new Map<string, StoredArticle>()

  articlesOn(day: number): ReadonlyArray<StoredArticle> {
    return [...this.articles.values()].filter((article) => article.day === day)
  }

  write({ articles, asOf, day, unchangedIds, readAt, sources }: Query<"write">): boolean {
    const storedDay = this.days.get(day)
    if (storedDay !== undefined && storedDay.readAt > readAt) return false
    if (unchangedIds.some((id) => this.articles.get(id)?.day !== day)) return false
    const unchanged = new Set(unchangedIds)
    for (const { id } of this.articlesOn(day)) if (!unchanged.has(id)) this.articles.delete(id)
    for (const article of articles) {
      const { id, terms, vector } = article
      this.articles.set(id, { ...article, day, vector: vector.slice(), termSet: new Set(terms) })
    }
    this.days.set(day, { day, readAt, asOf, sources })
    return true
  }

  deleteBefore(before: number): void {
    for (const day of this.days.keys()) if (day < before) this.days.delete(day)
    for (const { day, id } of this.articles.values()) if (day < before) this.articles.delete(id)
  }

  /** Calls `visit` for each article that matches the filter, and returns the number of these articles. */
  readonly forEachMatch = Effect.fnUntraced(
    { self: this },
    function*({ coin, from, to }: NewsFilter, visit: (article: StoredArticle) => void) {
      const articles = [...this.articles.values()].filter(({ coins, time }) =>
        time >= from && time < to && (coin === undefined || coins.includes(coin))
      )
      for (const [i, article] of articles.entries()) {
        if (i % articlesPerYield === articlesPerYield - 1) yield* Effect.yieldNow
        visit(article)
      }
      return articles.length
    }
  )
}

const matchTerms = Effect.fnUntraced(function*(model: ModelIndex, { limit, terms, ...filter }: Query<"matchTerms">) {
  const groups = new Map<number, { count: number; readonly newest: TopItems<FoundArticle> }>()
  const articles = yield* model.forEachMatch(filter, ({ id, termSet, time }) => {
    const mask = terms.reduce((sum, term, i) => termSet.has(term) ? sum + 2 ** i : sum, 0)
    if (mask === 0) return
    const group = groups.get(mask) ?? { count: 0, newest: new TopItems<FoundArticle>(newestFirst, limit) }
    groups.set(mask, group)
    group.count++
    group.newest.add({ id, time })
  })
  return {
    articles,
    groups: [...groups].sort(([a], [b]) => a - b)
      .map(([mask, { count, newest }]) => ({ mask, count, newest: newest.toArray() }))
  }
})

const findNearest = Effect.fnUntraced(
  function*(model: ModelIndex, { minProduct, limit, vector, ...filter }: Query<"findNearest">) {
    const best = new TopItems<FoundArticle & { readonly product: number }>(
      (a, b) => b.product - a.product || newestFirst(a, b),
      limit
    )
    yield* model.forEachMatch(filter, ({ id, time, vector: articleVector }) => {
      const product = innerProduct(vector, articleVector)
      if (product >= minProduct) best.add({ id, time, product })
    })
    return best.toArray()
  }
)

const toPublicArticle = ({ body, coins, id, source, time, title, url }: StoredArticle) => ({
  id,
  time,
  source,
  url,
  title,
  body,
  coins
})

/** Creates a `NewsIndex` in memory. */
export const makeNewsIndexMemory = (): NewsIndexService => {
  const models = new Map<string, ModelIndex>()
  const getModelIndex = (name: string): ModelIndex => {
    const modelIndex = models.get(name) ?? new ModelIndex()
    models.set(name, modelIndex)
    return modelIndex
  }
  return {
    days: ({ from, model, to }) =>
      Effect.sync(() =>
        [...getModelIndex(model).days.values()].filter(({ day }) => day >= from && day < to).sort((a, b) =>
          a.day - b.day
        )
      ),
    digests: ({ day, model }) =>
      Effect.sync(() => new Map(getModelIndex(model).articlesOn(day).map(({ digest, id }) => [id, digest]))),
    write: (query) => Effect.sync(() => getModelIndex(query.model).write(query)),
    matchTerms: (query) => matchTerms(getModelIndex(query.model), query),
    findNearest: (query) => findNearest(getModelIndex(query.model), query),
    articles: ({ ids, model }) =>
      Effect.sync(() => {
        const { articles } = getModelIndex(model)
        return new Map(ids.flatMap((id) => {
          const found = articles.get(id)
          return found === undefined ? [] : [[id, toPublicArticle(found)] as const]
        }))
      }),
    deleteDays: ({ before }) => Effect.sync(() => models.forEach((model) => model.deleteBefore(before)))
  }
}
