import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"

/**
 * An article as an index keeps it. Texts are as every store can keep them (no NUL, no lone surrogate), and were bounded
 * by who puts them.
 */
export interface IndexedArticle {
  /** At most 200 characters. */
  readonly id: string
  /** Names all that the feed said of it: another one is another content. At most 64 characters of ASCII. */
  readonly digest: string
  /** Epoch ms. */
  readonly time: number
  readonly source: string
  readonly url: string
  readonly title: string
  readonly body: string
  readonly coins: ReadonlyArray<string>
  /** What its words are, as whole numbers of 32 bits with a sign, each once. */
  readonly terms: ReadonlyArray<number>
  /**
   * Whole numbers, as many as all of its model, whose inner product with any other's stays below 2^24 at every step:
   * so it is exact in single precision, in whatever order it is summed, and no two databases order articles otherwise.
   */
  readonly vector: Int16Array
}

/** A UTC day of the feed, as it was read. */
export interface IndexedDay {
  /** 00:00 UTC, epoch ms. */
  readonly day: number
  /** When the feed was asked for it, epoch ms. */
  readonly readAt: number
  /** Of when the newest is that the feed had of it. */
  readonly asOf: number
  readonly sources: ReadonlyArray<string>
}

/** Articles published in `[from, to)` (epoch ms), about one coin where one is named. */
export interface NewsFilter {
  readonly model: string
  readonly from: number
  readonly to: number
  readonly coin?: string | undefined
}

/** An article that was found: its order needs no more. */
export interface FoundArticle {
  readonly id: string
  readonly time: number
}

/** The articles that have the same ones of the terms asked for, and at least one. */
export interface TermGroup {
  /** The sum of `2 ** i` over the terms that they have, by their places in the question. */
  readonly mask: number
  readonly count: number
  /** The newest of them, by time and then by id. */
  readonly newest: ReadonlyArray<FoundArticle>
}

/**
 * Articles of the last months, kept by the days of the feed on which they were published, to be found by their vectors
 * and by their words.
 *
 * - **Models stay apart.** What is kept under a model is not there under another: a new model begins with nothing, and
 *   its days are read from the feed, and embedded, anew. Vectors of two models are never compared, and processes on
 *   two models do each other no harm.
 * - **A day is written whole.** `write` puts the articles that are new or changed, keeps those of `kept` as they are,
 *   and removes every other article of that day: all of it or nothing. It does nothing, and gives false, when the day
 *   was read later by whom it has been written since, or when one of `kept` is not there any more; who asked reads and
 *   writes again. An article whose id is known of another day moves. Two that write the same do no harm.
 * - **Order is total.** Where products are equal, the newer article is first; of one time, the one with the lower id by
 *   code points. All that fits the filter is searched: a result is the same in every store.
 * - Articles may come and go between two questions; an id that is gone is missing from `articles`.
 */
export interface NewsIndexService {
  /** The days of `[from, to)` that were read, in order. */
  readonly days: (
    query: { readonly model: string; readonly from: number; readonly to: number }
  ) => Effect.Effect<ReadonlyArray<IndexedDay>, StoreUnavailable>
  /** What is kept of a day: digests by id. */
  readonly digests: (
    query: { readonly model: string; readonly day: number }
  ) => Effect.Effect<ReadonlyMap<string, string>, StoreUnavailable>
  readonly write: (
    query: IndexedDay & {
      readonly model: string
      readonly articles: ReadonlyArray<IndexedArticle>
      readonly kept: ReadonlyArray<string>
    }
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** How many articles fit, and those that have any of the terms (at most 48, each once), by what they have. */
  readonly matching: (
    query: NewsFilter & { readonly terms: ReadonlyArray<number>; readonly limit: number }
  ) => Effect.Effect<{ readonly articles: number; readonly groups: ReadonlyArray<TermGroup> }, StoreUnavailable>
  /** The articles whose inner product with a vector is largest, and at least `least`; the largest first. */
  readonly nearest: (
    query: NewsFilter & { readonly vector: Int16Array; readonly least: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<FoundArticle & { readonly product: number }>, StoreUnavailable>
  /** What a reader is told of articles, by id. */
  readonly articles: (
    query: { readonly model: string; readonly ids: ReadonlyArray<string> }
  ) => Effect.Effect<ReadonlyMap<string, Omit<IndexedArticle, "terms" | "vector" | "digest">>, StoreUnavailable>
  /** Forgets days, of all models, before an instant, with their articles. */
  readonly forget: (query: { readonly before: number }) => Effect.Effect<void, StoreUnavailable>
}

/** Left alone, each `NewsSearch` keeps an index of its own in memory (`makeMemoryNewsIndex`). */
export const NewsIndex = Context.Reference<NewsIndexService | null>("@tapeline/core/news/NewsIndex", {
  defaultValue: () => null
})
