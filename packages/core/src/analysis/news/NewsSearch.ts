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
 * Searches the articles of the feed by meaning and by words. Merges the ranking by vectors and the ranking by words
 * with reciprocal rank fusion. Queries fill the index from the feed, the requested days first. If filling takes too
 * long, the other days are filled in the background, and the result contains a note. If nothing is found and not all
 * days are filled, the query fails with a retryable error.
 *
 * - Articles are omitted if they are far from the question, concern other coins, shares or subjects, or state the
 *   opposite.
 * - A question is any text. Only the question's words are searched, and no text can act as a database instruction.
 * - Once the requested days are filled, the result depends only on the question, the time, the feed and the model. All
 *   processes and stores return identical search results.
 * - An unlisted coin fails with `UnknownSymbol`. If the feed fails, a query fails only if a requested day was never
 *   read; otherwise the result states the time of its data. If texts cannot be embedded, the query fails.
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

/** Implements `NewsSearch` on the feed. Uses the `NewsIndex` of the context, or else its own index in memory. */
export const layerNewsSearch: Layer.Layer<never, never, NewsFeed | Embeddings> = Layer.effect(
  NewsSearch,
  Effect.gen(function*() {
    const feed = yield* NewsFeed
    const embeddings = yield* Embeddings
    const index = (yield* NewsIndex) ?? makeNewsIndexMemory()
    return { search: yield* makeSearch({ feed, embeddings, index }) }
  })
)
