import { type Article, NewsFeed, type NoData, type SourceUnavailable, type UnknownSymbol } from "@tapeline/core/market"
import { eventsKinds, marketBounds, type MarketEvent, MarketStore } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { asked, both, readingOf } from "./asking.ts"
import { aboutCoin, aboutSymbol, articleForm, stockDocument, stockKey } from "./documents.ts"
import { listedCoin, unknownStock } from "./facts.ts"

type Store = MarketStore["Service"]

const defaultLimit = 1_000

/** Makes an article from its event: the publisher is the label, the rest is in the document. */
const articleOf = Effect.fnUntraced(function*({ document, id, label, sentiment, time }: MarketEvent<"sentiment">) {
  const rest = yield* articleForm.read(document ?? "")
  const article: Article = { id, time, source: label ?? "", sentiment, ...rest }
  return article
})

/** Fails for a symbol that no country lists. */
const knownSymbol = Effect.fnUntraced(function*(
  store: Store,
  symbol: string
): Effect.fn.Return<void, UnknownSymbol | NoData | SourceUnavailable> {
  const keys = [stockKey("US", symbol), stockKey("KR", symbol)]
  const found = yield* asked(store.documents({ kind: stockDocument.kind, keys }))
  if (found.size === 0) return yield* unknownStock(store, symbol, "news")
})

/** `NewsFeed` over the service's own store. */
export const storedNewsFeed: Layer.Layer<NewsFeed, never, MarketStore> = Layer.effect(
  NewsFeed,
  Effect.map(MarketStore, (store) => ({
    articles: Effect.fnUntraced(function*({ coin, limit = defaultLimit, symbol, ...query }) {
      const now = yield* Clock.currentTimeMillis
      const subject = coin !== undefined ? aboutCoin(coin) : symbol !== undefined ? aboutSymbol(symbol) : undefined
      const most = Math.min(limit, marketBounds.rowsRead)
      const [read] = yield* both(
        asked(store.events({
          kind: eventsKinds.articles,
          ...(subject === undefined ? {} : { subject }),
          from: query.from,
          to: Math.max(query.from, Math.min(query.to, now + 1)),
          // With a coin and a symbol, the limit applies only after the filter by symbol.
          limit: coin !== undefined && symbol !== undefined ? marketBounds.rowsRead : most
        })),
        Effect.all([
          coin === undefined ? Effect.void : listedCoin(store, coin),
          symbol === undefined ? Effect.void : knownSymbol(store, symbol)
        ], { concurrency: 2 })
      )
      const all = yield* Effect.forEach(read.events, articleOf)
      const articles = symbol === undefined ? all : all.filter(({ symbols }) => symbols.includes(symbol))
      const told = articles.slice(Math.max(0, articles.length - most))
      return readingOf(told, read.sources, told.at(-1)?.time ?? now)
    })
  }))
)
