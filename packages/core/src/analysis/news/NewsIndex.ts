import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"

/**
 * A stored article. Its writer has limited the lengths of the texts and removed NUL and lone surrogates, so that every
 * store can keep them.
 */
export interface IndexedArticle {
  /** At most 200 characters. */
  readonly id: string
  /** The digest of the feed's content. A changed article has another digest. At most 64 ASCII characters. */
  readonly digest: string
  /** Epoch ms. */
  readonly time: number
  readonly source: string
  readonly url: string
  readonly title: string
  readonly body: string
  readonly coins: ReadonlyArray<string>
  /** The hashes of its words, as distinct signed 32-bit integers. */
  readonly terms: ReadonlyArray<number>
  /**
   * Integers, as many as the model's dimensions. The inner product of two vectors stays below 2^24 at every step. It is
   * therefore exact in single precision in any order of summation, and all databases order articles equally.
   */
  readonly vector: Int16Array
}

/** The record of a read of a UTC day of the feed. */
export interface IndexedDay {
  /** 00:00 UTC, epoch ms. */
  readonly day: number
  /** When the day was requested from the feed, epoch ms. */
  readonly readAt: number
  /** The time of the newest data that the feed had for the day. */
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

/** The fields of a found article that its order needs. */
export interface FoundArticle {
  readonly id: string
  readonly time: number
}

/** The articles that contain exactly the same subset of the requested terms. The subset is not empty. */
export interface TermGroup {
  /** The sum of `2 ** i` over the terms that the articles contain, by their places in the query. */
  readonly mask: number
  readonly count: number
  /** The newest of these articles, by time and then by id. */
  readonly newest: ReadonlyArray<FoundArticle>
}

/**
 * An index of the articles of recent months, by day of publication. Finds articles by vectors and by words.
 *
 * - **Models are separate.** Articles of one model are not visible to another. A new model starts empty, and its days
 *   are read from the feed and embedded again. Vectors of two models are never compared, and processes with different
 *   models do not affect each other.
 * - **A day is written atomically.** `write` stores new and changed articles, keeps those in `unchangedIds`, and
 *   removes all other articles of the day. It changes nothing and returns false if a stored read of the day is later,
 *   or if an article in `unchangedIds` no longer exists. The caller then reads and writes again. An article whose id is
 *   stored for another day moves. Concurrent writes of the same content do no harm.
 * - **The order is total.** With equal products, the newer article is first; with equal times, the lower id by code
 *   points. All articles that match the filter are searched, so a result is the same in every store.
 * - Articles may change between two queries; a removed id is missing from the result of `articles`.
 */
export interface NewsIndexService {
  /** Returns the days of `[from, to)` that were read, in order. */
  readonly days: (
    query: { readonly model: string; readonly from: number; readonly to: number }
  ) => Effect.Effect<ReadonlyArray<IndexedDay>, StoreUnavailable>
  /** Returns the digests of a day's articles, by id. */
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
   * Counts the matching articles, and groups those that contain any of the terms (at most 48, distinct) by the terms
   * that they contain.
   */
  readonly matchTerms: (
    query: NewsFilter & { readonly terms: ReadonlyArray<number>; readonly limit: number }
  ) => Effect.Effect<{ readonly articles: number; readonly groups: ReadonlyArray<TermGroup> }, StoreUnavailable>
  /** Returns the articles with the largest inner products with a vector, of at least `minProduct`, largest first. */
  readonly findNearest: (
    query: NewsFilter & { readonly vector: Int16Array; readonly minProduct: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<FoundArticle & { readonly product: number }>, StoreUnavailable>
  /** Returns the readable content of articles, by id. */
  readonly articles: (
    query: { readonly model: string; readonly ids: ReadonlyArray<string> }
  ) => Effect.Effect<ReadonlyMap<string, Omit<IndexedArticle, "terms" | "vector" | "digest">>, StoreUnavailable>
  /** Deletes the days before a time, of all models, with their articles. */
  readonly deleteDays: (query: { readonly before: number }) => Effect.Effect<void, StoreUnavailable>
}

/** By default each `NewsSearch` has its own index in memory (`makeNewsIndexMemory`). */
export const NewsIndex = Context.Reference<NewsIndexService | null>("@tapeline/core/news/NewsIndex", {
  defaultValue: () => null
})
