import { Effect } from "effect"
import { findNamed } from "../equities/findStock.ts"
import type { EquityMarkets } from "../market/EquityMarkets.ts"
import type { MarketError } from "../market/errors.ts"
import type { Article } from "../market/news.ts"
import type { NewsFeed } from "../market/NewsFeed.ts"
import type { Reading } from "../market/reading.ts"
import type { Interval } from "../market/series.ts"
import type { ToolFailure } from "../tool/failure.ts"

/** What articles are to be about: a coin, a stock, or anything. */
export interface About {
  readonly coin?: string
  readonly symbol?: string
}

export interface FoundArticles {
  /** Oldest first. */
  readonly read: Reading<ReadonlyArray<Article>>
  /** The stock's ticker, whatever it was asked as. */
  readonly symbol: string | null
  readonly notes: ReadonlyArray<string>
}

/** Articles about a coin, about a stock by its ticker or a company's name, or about anything. */
export const articlesAbout: (
  feed: NewsFeed["Service"],
  equities: EquityMarkets["Service"],
  about: About,
  query: Interval & { readonly limit: number }
) => Effect.Effect<FoundArticles, MarketError | ToolFailure> = Effect.fnUntraced(
  function*(feed, equities, { coin, symbol }, query) {
    const found = (
      read: Reading<ReadonlyArray<Article>>,
      symbol: string | null,
      notes: ReadonlyArray<string> = []
    ) => ({
      read,
      symbol,
      notes
    })
    if (symbol === undefined) {
      return found(yield* feed.articles(coin === undefined ? query : { ...query, coin }), null)
    }
    const named = Effect.flatMap(findNamed(equities, symbol), ({ notes, stock }) =>
      Effect.map(
        feed.articles({ ...query, symbol: stock.symbol }),
        (read) => found(read, stock.symbol, notes)
      ))
    return yield* feed.articles({ ...query, symbol }).pipe(
      Effect.map((read) => found(read, symbol)),
      Effect.catchTag("UnknownSymbol", () => named)
    )
  }
)
