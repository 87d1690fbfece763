import { type Article, NewsFeed, type NoData, type SourceUnavailable, type UnknownSymbol } from "@tapeline/core/market"
import { eventsKinds, type MarketEvent, MarketStore, marketStoreLimits } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { failUnknownStock, findListedCoin } from "./coins.ts"
import { articleCodec, coinSubject, stockDocument, stockKey, stockSubject } from "./documents.ts"
import { inParallel, makeStoredReading, withReadErrors } from "./storeReads.ts"

type Store = MarketStore["Service"]

const defaultLimit = 1_000

const toArticle = Effect.fnUntraced(function*({ document, id, label, sentiment, time }: MarketEvent<"sentiment">) {
  const rest = yield* articleCodec.read(document ?? "")
  const article: Article = { id, time, source: label ?? "", sentiment, ...rest }
  return article
})

const failIfUnknownSymbol = Effect.fnUntraced(function*(
  store: Store,
  symbol: string
): Effect.fn.Return<void, UnknownSymbol | NoData | SourceUnavailable> {
  const keys = [stockKey("US", symbol), stockKey("KR", symbol)]
  const found = yield* withReadErrors(store.documents({ kind: stockDocument.kind, keys }))
  if (found.size === 0) return yield* failUnknownStock(store, symbol, "news")
})

/** Implements `NewsFeed` with data from the market store. */
export const storedNewsFeed: Layer.Layer<NewsFeed, never, MarketStore> = Layer.effect(
  NewsFeed,
  Effect.map(MarketStore, (store) => ({
    articles: Effect.fnUntraced(function*({ coin, limit = defaultLimit, symbol, ...query }) {
      const now = yield* Clock.currentTimeMillis
      const subject = coin !== undefined ? coinSubject(coin) : symbol !== undefined ? stockSubject(symbol) : undefined
      const maxArticles = Math.min(limit, marketStoreLimits.maxRowsPerRead)
      const [read] = yield* inParallel(
        withReadErrors(store.events({
          kind: eventsKinds.articles,
          ...(subject === undefined ? {} : { subject }),
          from: query.from,
          to: Math.max(query.from, Math.min(query.to, now + 1)),
          // If the query has a coin and a stock symbol, the limit applies after the articles are filtered by symbol.
          limit: coin !== undefined && symbol !== undefined ? marketStoreLimits.maxRowsPerRead : maxArticles
        })),
        Effect.all([
          coin === undefined ? Effect.void : findListedCoin(store, coin),
          symbol === undefined ? Effect.void : failIfUnknownSymbol(store, symbol)
        ], { concurrency: 2 })
      )
      const all = yield* Effect.forEach(read.events, toArticle)
      const articles = symbol === undefined ? all : all.filter(({ symbols }) => symbols.includes(symbol))
      const newest = articles.slice(Math.max(0, articles.length - maxArticles))
      return makeStoredReading(newest, read.sources, newest.at(-1)?.time ?? now)
    })
  }))
)
