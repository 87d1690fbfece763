import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"

/**
 * An article in the news index. The article's texts have limited lengths and contain no NUL characters and no lone
 * surrogates.
 */
export interface IndexedArticle {
  /** The article's id, at most 200 characters. */
  readonly id: string
  /** The digest of the article as the feed delivered it, at most 64 ASCII characters. */
  readonly digest: string
  /** The article's time of publication, in epoch ms. */
  readonly time: number
  readonly source: string
  readonly url: string
  readonly title: string
  readonly body: string
  readonly coins: ReadonlyArray<string>
  /** The hashes of the article's words: distinct signed 32-bit integers. */
  readonly terms: ReadonlyArray<number>
  /**
   * The article's vector, with the model's number of dimensions. Every partial sum of the inner product of two vectors
   * is below 2^24. Inner products are therefore exact in single precision, and all databases order articles equally.
   */
  readonly vector: Int16Array
}

/** A UTC day of the news feed that was read into the index. */
export interface IndexedDay {
  /** The start of the UTC day that was read, in epoch ms. */
  readonly day: number
  /** The time at which the day was requested from the news feed, in epoch ms. */
  readonly readAt: number
  /** The time up to which the feed had data for the day, in epoch ms. */
  readonly asOf: number
  readonly sources: ReadonlyArray<string>
}

/** Selects articles that were published in `[from, to)`, in epoch ms. The articles can be limited to one coin. */
export interface NewsFilter {
  readonly model: string
  readonly from: number
  readonly to: number
  readonly coin?: string | undefined
}

/** The fields of a found article that determine its order. */
export interface FoundArticle {
  readonly id: string
  readonly time: number
}

/** A group of articles that contain the same non-empty subset of the requested terms. */
export interface TermGroup {
  /** The contained terms as a bit mask: bit `i` is set for the term with index `i` in the query. */
  readonly mask: number
  readonly count: number
  /** The newest articles of the group, sorted by time and then by id. */
  readonly newest: ReadonlyArray<FoundArticle>
}

/**
 * An index of recent news articles by day of publication. The index finds articles by their vectors and by their words.
 *
 * - **Models are separate.** Articles and vectors of one model are not visible to another model. A new model starts
 *   empty.
 * - **A day is written atomically.** `write` stores new and changed articles, keeps the articles in `unchangedIds`, and
 *   removes all other articles of the day.
 * - `write` returns false and changes nothing if a later read of the day is stored, or if an article in `unchangedIds`
 *   no longer exists. If `write` returns false, the caller reads the feed and writes again.
 * - If an article is already stored for another day, `write` moves the article to the written day.
 * - **The order is total.** Articles with equal inner products are sorted by time, newest first, and then by id in code
 *   point order.
 * - All articles that match the filter are searched, so every store returns identical results.
 * - The index may change between two queries. If an article has been removed, the result of `articles` does not contain
 *   the article's id.
 */
export interface NewsIndexService {
  /** Returns the indexed days in `[from, to)`, in ascending order. */
  readonly days: (
    query: { readonly model: string; readonly from: number; readonly to: number }
  ) => Effect.Effect<ReadonlyArray<IndexedDay>, StoreUnavailable>
  /** Returns the digests of a day's articles, keyed by id. */
  readonly digests: (
    query: { readonly model: string; readonly day: number }
  ) => Effect.Effect<ReadonlyMap<string, string>, StoreUnavailable>
  readonly write: (
    query: IndexedDay & {
      readonly model: string
      readonly articles: ReadonlyArray<IndexedArticle>
      readonly unchangedIds: ReadonlyArray<string>
    }
  ) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Counts the articles that match the filter, and groups the articles by the requested terms that they contain. A
   * query has at most 48 terms.
   */
  readonly matchTerms: (
    query: NewsFilter & { readonly terms: ReadonlyArray<number>; readonly limit: number }
  ) => Effect.Effect<{ readonly articles: number; readonly groups: ReadonlyArray<TermGroup> }, StoreUnavailable>
  /** Returns the articles whose inner product with `vector` is at least `minProduct`, largest product first. */
  readonly findNearest: (
    query: NewsFilter & { readonly vector: Int16Array; readonly minProduct: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<FoundArticle & { readonly product: number }>, StoreUnavailable>
  readonly articles: (
    query: { readonly model: string; readonly ids: ReadonlyArray<string> }
  ) => Effect.Effect<ReadonlyMap<string, Omit<IndexedArticle, "terms" | "vector" | "digest">>, StoreUnavailable>
  /** Deletes the days before a time and their articles, for all models. */
  readonly deleteDays: (query: { readonly before: number }) => Effect.Effect<void, StoreUnavailable>
}

/**
 * The index of news articles. If the index is null, each `NewsSearch` creates its own index in memory
 * (`makeNewsIndexMemory`).
 */
export const NewsIndex = Context.Reference<NewsIndexService | null>("@tapeline/core/news/NewsIndex", {
  defaultValue: () => null
})
