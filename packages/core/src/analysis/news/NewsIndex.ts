import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"

/** An article in the news index, with texts that every store accepts: of limited length, no NUL, no lone surrogates. */
export interface IndexedArticle {
  /** The article's id, at most 200 characters. */
  readonly id: string
  /** The digest of the article's content in the feed, at most 64 ASCII characters. */
  readonly digest: string
  /** The article's time of publication, in epoch ms. */
  readonly time: number
  readonly source: string
  readonly url: string
  readonly title: string
  readonly body: string
  readonly coins: ReadonlyArray<string>
  /** The hashes of the article's words, as distinct signed 32-bit integers. */
  readonly terms: ReadonlyArray<number>
  /**
   * The article's vector, with the model's number of dimensions. Every partial sum of the inner product of two vectors
   * is below 2^24, so that the product is exact in single precision and all databases order articles equally.
   */
  readonly vector: Int16Array
}

/** A record that a UTC day of the news feed was read. */
export interface IndexedDay {
  /** The start of the UTC day that was read, in epoch ms. */
  readonly day: number
  /** The time at which the day was requested from the news feed, in epoch ms. */
  readonly readAt: number
  /** The time of the newest data that the feed had for the day, in epoch ms. */
  readonly asOf: number
  readonly sources: ReadonlyArray<string>
}

/** Selects articles published in `[from, to)` (epoch ms), optionally about one coin. */
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

/** The articles that contain exactly one non-empty subset of the requested terms. */
export interface TermGroup {
  /** The subset of terms as a bit mask: the sum of `2 ** i` over the contained terms' indices `i` in the query. */
  readonly mask: number
  readonly count: number
  /** The newest articles of the group, sorted by time and then by id. */
  readonly newest: ReadonlyArray<FoundArticle>
}

/**
 * An index of the news articles of recent months, by day of publication, which finds articles by vectors and by words.
 *
 * - **Models are separate.** Articles and vectors of one model are not visible to another model. A new model starts
 *   empty.
 * - **A day is written atomically.** `write` stores new and changed articles, keeps the articles in `unchangedIds`, and
 *   removes all other articles of the day.
 * - `write` changes nothing and returns false if a stored read of the day is later, or if an article in `unchangedIds`
 *   no longer exists. The caller then reads the feed and writes again.
 * - An article whose id is stored for another day moves to the written day.
 * - **The order is total.** With equal products, the newer article is first; with equal times, the lower id by code
 *   points.
 * - Articles may change between two queries. A removed id is missing from the result of `articles`.
 */
export interface NewsIndexService {
  /** Returns the records of the days in `[from, to)` that were read, in ascending order. */
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
  /** Counts the articles that match the filter, and groups them by the contained terms, of at most 48 terms. */
  readonly matchTerms: (
    query: NewsFilter & { readonly terms: ReadonlyArray<number>; readonly limit: number }
  ) => Effect.Effect<{ readonly articles: number; readonly groups: ReadonlyArray<TermGroup> }, StoreUnavailable>
  /** Returns the articles whose product with `vector` is at least `minProduct`, largest product first. */
  readonly findNearest: (
    query: NewsFilter & { readonly vector: Int16Array; readonly minProduct: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<FoundArticle & { readonly product: number }>, StoreUnavailable>
  readonly articles: (
    query: { readonly model: string; readonly ids: ReadonlyArray<string> }
  ) => Effect.Effect<ReadonlyMap<string, Omit<IndexedArticle, "terms" | "vector" | "digest">>, StoreUnavailable>
  /** Deletes the days before a time, of all models, with their articles. */
  readonly deleteDays: (query: { readonly before: number }) => Effect.Effect<void, StoreUnavailable>
}

/** The index of news articles, by default an index in memory per `NewsSearch` (`makeNewsIndexMemory`). */
export const NewsIndex = Context.Reference<NewsIndexService | null>("@tapeline/core/news/NewsIndex", {
  defaultValue: () => null
})
