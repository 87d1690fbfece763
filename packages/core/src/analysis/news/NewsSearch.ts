import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import { type MarketError, SourceUnavailable } from "../../market/errors.ts"
import { NewsFeed } from "../../market/NewsFeed.ts"
import { Embeddings } from "./Embeddings.ts"
import { makeMemoryNewsIndex } from "./memoryNewsIndex.ts"
import { NewsIndex } from "./NewsIndex.ts"
import type { NewsFound, NewsQuery } from "./newsQuestion.ts"
import { makeSearch } from "./search.ts"

/**
 * Articles of the feed by meaning and by words: the order by vectors and the order by words are merged by reciprocal
 * rank fusion. The index is filled from the feed when somebody asks, the days asked for first; what takes too long is
 * filled behind the answer, which says so. Who finds nothing in the days that are filled gets no answer, but a failure
 * that says to ask again.
 *
 * - Articles that are far from the question, about other coins, shares or subjects than the question names, or that say
 *   its opposite, are left out. If nothing is left, the answer is empty.
 * - A question is any text: what it is made of is looked for, and nothing in it is an instruction to a database.
 * - The same question at the same instant, over the same feed and the same model, has the same answer in every process
 *   and over every store, once the days asked for are filled.
 * - A coin that nobody lists fails with `UnknownSymbol`. A feed that fails fails the question where a day asked for was
 *   never read; where it was, the answer says as of when it is. Where texts cannot be embedded the question fails.
 */
export const NewsSearch = Context.Reference<{
  readonly search: (query: NewsQuery) => Effect.Effect<NewsFound, MarketError | StoreUnavailable>
}>("@tapeline/core/news/NewsSearch", {
  defaultValue: () => ({
    search: () =>
      Effect.fail(
        new SourceUnavailable({
          source: "news search",
          failure: "not_configured",
          reason: "nobody gave the engine a NewsSearch",
          retryable: false
        })
      )
  })
})

/** `NewsSearch` over the feed, with `NewsIndex` as it is given, else with an index of its own in memory. */
export const layerNewsSearch: Layer.Layer<never, never, NewsFeed | Embeddings> = Layer.effect(
  NewsSearch,
  Effect.gen(function*() {
    const feed = yield* NewsFeed
    const embeddings = yield* Embeddings
    const index = (yield* NewsIndex) ?? makeMemoryNewsIndex()
    return { search: yield* makeSearch({ feed, embeddings, index }) }
  })
)
