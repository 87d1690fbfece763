import { Effect } from "effect"
import type { ToolFailure } from "../../engine/tool/failure.ts"
import { instant } from "../../engine/tool/result.ts"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import type { MarketError } from "../../market/errors.ts"
import type { Stock } from "../../market/instrument.ts"
import type { Article } from "../../market/news.ts"
import type { NewsFeed } from "../../market/NewsFeed.ts"
import { awayNote } from "../../market/orAway.ts"
import { mapReading, type Reading } from "../../market/reading.ts"
import type { Interval } from "../../market/series.ts"
import { findNamed } from "../equities/findStock.ts"

/** The required instrument of articles: a coin, a stock, or any. */
export interface About {
  readonly coin?: string
  readonly symbol?: string
}

export interface FoundArticles {
  /** Oldest first. */
  readonly read: Reading<ReadonlyArray<Article>>
  /** The stock's ticker, for any form of the requested name. */
  readonly symbol: string | null
  readonly notes: ReadonlyArray<string>
}

/** The number of newest articles that are searched for words. */
const lookedThrough = 2_000

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)
const isHangul = /\p{Script=Hangul}/u

/** Returns a company's names, without its legal suffix. */
const calledBy = ({ koreanName, name, symbol }: Stock): ReadonlyArray<string> => [
  symbol,
  name.replace(/,?\s+(?:Inc|Corp|Corporation|Company|Co|Ltd|plc|N\.V|S\.A)\.?$/iu, ""),
  ...(koreanName === null ? [] : [koreanName])
]

/** A short ticker may also be an ordinary word, so its case must match. Longer words match in any case. */
const isTicker = /^[A-Z0-9.]{1,4}$/u

/** Returns a test whether a text contains one of the words. A Korean word may have a particle after it. */
const holds = (words: ReadonlyArray<string>): (text: string) => boolean => {
  const patterns = words.filter((word) => Array.from(word).length > 1).map((word) => {
    const end = isHangul.test(word) ? "" : String.raw`(?![\p{L}\p{N}])`
    return new RegExp(String.raw`(?<![\p{L}\p{N}])${escaped(word)}${end}`, isTicker.test(word) ? "u" : "iu")
  })
  return (text) => patterns.some((pattern) => pattern.test(text))
}

/**
 * Returns articles that contain one of the words in their title or at their beginning. If fewer than requested are
 * found, a note states how far back articles were searched.
 */
const havingWords = (
  feed: NewsFeed["Service"],
  words: ReadonlyArray<string>,
  query: Interval & { readonly limit: number }
) =>
  Effect.map(feed.articles({ ...query, limit: lookedThrough + 1 }), (read) => {
    const isMeant = holds(words)
    const looked = read.value.slice(-lookedThrough)
    const found = looked.filter(({ body, title }) => isMeant(`${title}\n${body}`))
    const [oldest] = looked
    const isCut = oldest !== undefined && read.value.length > looked.length && found.length < query.limit
    const notes = isCut
      ? [
        `Only the newest ${lookedThrough} articles were looked through for words, those since ${instant(oldest.time)}.`
      ]
      : []
    return { read: mapReading(read, () => found.slice(-query.limit)), notes }
  })

type Found = Effect.Effect<FoundArticles, MarketError | ToolFailure>

/**
 * Finds articles by words: for a stock without articles under its ticker, or if the stock markets are unavailable and
 * the name cannot be resolved.
 */
const byWords = (
  feed: NewsFeed["Service"],
  equities: EquityMarkets["Service"],
  asked: string,
  query: Interval & { readonly limit: number }
): Found =>
  findNamed(equities, asked).pipe(
    Effect.flatMap(({ notes, stock }) =>
      feed.articles({ ...query, symbol: stock.symbol }).pipe(
        Effect.map((read): FoundArticles => ({ read, symbol: stock.symbol, notes })),
        Effect.catchTags({
          NoData: () =>
            Effect.map(havingWords(feed, calledBy(stock), query), ({ notes: cut, read }) => ({
              read,
              symbol: stock.symbol,
              notes: [
                ...notes,
                `Articles are not kept by stock here: those that name ${stock.symbol} are told.`,
                ...cut
              ]
            }))
        })
      )
    ),
    Effect.catchTag("SourceUnavailable", (away) =>
      Effect.flatMap(havingWords(feed, [asked], query), ({ notes, read }) =>
        read.value.length === 0 ? Effect.fail(away) : Effect.succeed<FoundArticles>({
          read,
          symbol: null,
          notes: [awayNote(away, "which stock is meant is not known, and articles with the word are told"), ...notes]
        })))
  )

/** Returns articles about a coin, about a stock by its ticker or company name, or about anything. */
export const articlesAbout = (
  feed: NewsFeed["Service"],
  equities: EquityMarkets["Service"],
  { coin, symbol }: About,
  query: Interval & { readonly limit: number }
): Found => {
  const found = (read: Reading<ReadonlyArray<Article>>): FoundArticles => ({ read, symbol: symbol ?? null, notes: [] })
  if (symbol === undefined) return Effect.map(feed.articles(coin === undefined ? query : { ...query, coin }), found)
  const otherwise = () => byWords(feed, equities, symbol, query)
  return feed.articles({ ...query, symbol }).pipe(
    Effect.map(found),
    Effect.catchTags({ UnknownSymbol: otherwise, NoData: otherwise })
  )
}
