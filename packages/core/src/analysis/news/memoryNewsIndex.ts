import { Effect } from "effect"
import { FirstFew, newestFirst } from "./articleOrder.ts"
import type { FoundArticle, IndexedArticle, IndexedDay, NewsFilter, NewsIndexService } from "./NewsIndex.ts"
import { productOf } from "./wholeVector.ts"

/** The arguments of a method of the index. */
type Query<Name extends keyof NewsIndexService> = Parameters<NewsIndexService[Name]>[0]

interface Kept extends IndexedArticle {
  readonly day: number
  readonly termSet: ReadonlySet<number>
}

/** Yields to other fibers after this many articles, which take a few milliseconds. */
const articlesAtOnce = 5_000

/** The content of one model. */
class Model {
  readonly days = new Map<number, IndexedDay>()
  readonly articles = new Map<string, Kept>()

  of(day: number): ReadonlyArray<Kept> {
    return [...this.articles.values()].filter((article) => article.day === day)
  }

  write({ articles, asOf, day, kept, readAt, sources }: Query<"write">): boolean {
    const known = this.days.get(day)
    if (known !== undefined && known.readAt > readAt) return false
    if (kept.some((id) => this.articles.get(id)?.day !== day)) return false
    const stays = new Set(kept)
    for (const { id } of this.of(day)) if (!stays.has(id)) this.articles.delete(id)
    for (const article of articles) {
      const { id, terms, vector } = article
      this.articles.set(id, { ...article, day, vector: vector.slice(), termSet: new Set(terms) })
    }
    this.days.set(day, { day, readAt, asOf, sources })
    return true
  }

  forget(before: number): void {
    for (const day of this.days.keys()) if (day < before) this.days.delete(day)
    for (const { day, id } of this.articles.values()) if (day < before) this.articles.delete(id)
  }

  /** Calls `look` for each matching article, and returns their number. */
  readonly each = Effect.fnUntraced(
    { self: this },
    function*({ coin, from, to }: NewsFilter, look: (article: Kept) => void) {
      const articles = [...this.articles.values()].filter(({ coins, time }) =>
        time >= from && time < to && (coin === undefined || coins.includes(coin))
      )
      for (const [i, article] of articles.entries()) {
        if (i % articlesAtOnce === articlesAtOnce - 1) yield* Effect.yieldNow
        look(article)
      }
      return articles.length
    }
  )
}

const matching = Effect.fnUntraced(function*(model: Model, { limit, terms, ...filter }: Query<"matching">) {
  const groups = new Map<number, { count: number; readonly newest: FirstFew<FoundArticle> }>()
  const articles = yield* model.each(filter, ({ id, termSet, time }) => {
    const mask = terms.reduce((sum, term, i) => termSet.has(term) ? sum + 2 ** i : sum, 0)
    if (mask === 0) return
    const group = groups.get(mask) ?? { count: 0, newest: new FirstFew<FoundArticle>(newestFirst, limit) }
    groups.set(mask, group)
    group.count++
    group.newest.offer({ id, time })
  })
  return {
    articles,
    groups: [...groups].sort(([a], [b]) => a - b)
      .map(([mask, { count, newest }]) => ({ mask, count, newest: newest.all() }))
  }
})

const nearest = Effect.fnUntraced(function*(model: Model, { least, limit, vector, ...filter }: Query<"nearest">) {
  const best = new FirstFew<FoundArticle & { readonly product: number }>(
    (a, b) => b.product - a.product || newestFirst(a, b),
    limit
  )
  yield* model.each(filter, ({ id, time, vector: own }) => {
    const product = productOf(vector, own)
    if (product >= least) best.offer({ id, time, product })
  })
  return best.all()
})

const told = ({ body, coins, id, source, time, title, url }: Kept) => ({ id, time, source, url, title, body, coins })

/** Creates a `NewsIndex` in memory. */
export const makeMemoryNewsIndex = (): NewsIndexService => {
  const models = new Map<string, Model>()
  const modelOf = (name: string): Model => {
    const known = models.get(name) ?? new Model()
    models.set(name, known)
    return known
  }
  return {
    days: ({ from, model, to }) =>
      Effect.sync(() =>
        [...modelOf(model).days.values()].filter(({ day }) => day >= from && day < to).sort((a, b) => a.day - b.day)
      ),
    digests: ({ day, model }) =>
      Effect.sync(() => new Map(modelOf(model).of(day).map(({ digest, id }) => [id, digest]))),
    write: (query) => Effect.sync(() => modelOf(query.model).write(query)),
    matching: (query) => matching(modelOf(query.model), query),
    nearest: (query) => nearest(modelOf(query.model), query),
    articles: ({ ids, model }) =>
      Effect.sync(() => {
        const { articles } = modelOf(model)
        return new Map(ids.flatMap((id) => {
          const found = articles.get(id)
          return found === undefined ? [] : [[id, told(found)] as const]
        }))
      }),
    forget: ({ before }) => Effect.sync(() => models.forEach((model) => model.forget(before)))
  }
}
