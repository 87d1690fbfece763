import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { type MarketError, SourceUnavailable } from "../../market/errors.ts"
import { NewsFeed } from "../../market/NewsFeed.ts"
import { Embeddings } from "./Embeddings.ts"
import { makeNewsIndexMemory } from "./memoryNewsIndex.ts"
import { NewsIndex } from "./NewsIndex.ts"
import type { NewsQuery, NewsSearchResult } from "./newsQuery.ts"
import { makeSearch } from "./search.ts"

/**
 * Searches the feed's articles by meaning and by words, and merges the two rankings with reciprocal rank fusion.
 *
 * - A query reads the feed into the index, beginning with the requested days. If filling takes too long, the result has
 *   a note, and the remaining days are filled in the background. If the index is incomplete and a query finds nothing,
 *   the query fails with a retryable error.
 * - A search omits articles that are unrelated to the question, concern other instruments or subjects, or state the
 *   opposite. If the model returns concepts, and no article of the period contains a name of the question, the result
 *   is empty. A word counts as a name if it has a capital letter, or if it is a Korean word of three syllables or more.
 * - A question may contain any text, because the text cannot act as a database instruction.
 * - Once the requested days are filled, the result depends only on the question, the time, the feed and the model.
 * - An unlisted coin fails with `UnknownSymbol`. If the feed fails, a query fails only if a requested day was never
 *   read. If texts cannot be embedded, the query fails.
 */
export const NewsSearch = Context.Reference<{
  readonly search: (query: NewsQuery) => Effect.Effect<NewsSearchResult, MarketError | StoreUnavailable>
}>("@tapeline/core/news/NewsSearch", {
  defaultValue: () => ({
    search: () =>
      Effect.fail(
        new SourceUnavailable({
          source: "news search",
          failure: "not_configured",
          reason: "the engine has no NewsSearch",
          retryable: false
        })
      )
  })
})

/** Provides `NewsSearch` for the news feed. The layer uses the context's `NewsIndex`, or its own index in memory. */
export const layerNewsSearch: Layer.Layer<never, never, NewsFeed | Embeddings> = Layer.effect(
  NewsSearch,
  Effect.gen(function*() {
    const feed = yield* NewsFeed
    const embeddings = yield* Embeddings
    const index = (yield* NewsIndex) ?? makeNewsIndexMemory()
    return { search: yield* makeSearch({ feed, embeddings, index }) }
  })
)
