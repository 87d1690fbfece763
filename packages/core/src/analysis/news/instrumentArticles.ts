import { Effect } from "effect"
import type { ToolFailure } from "../../engine/tool/failure.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import type { MarketError } from "../../market/errors.ts"
import type { Stock } from "../../market/instrument.ts"
import type { Article } from "../../market/news.ts"
import type { NewsFeed } from "../../market/NewsFeed.ts"
import { unavailableNote } from "../../market/optionalRead.ts"
import { mapReading, type Reading } from "../../market/reading.ts"
import type { Interval } from "../../market/series.ts"
import { findStockByName } from "../equities/findStock.ts"

/**
 * The instrument that articles must concern: a coin or a stock. If `coin` and `symbol` are absent, all articles match.
 */
export interface InstrumentFilter {
  readonly coin?: string
  readonly symbol?: string
}

export interface InstrumentArticles {
  /** The found articles, oldest first. */
  readonly read: Reading<ReadonlyArray<Article>>
  /** The ticker of the requested stock; null if unknown. */
  readonly symbol: string | null
  readonly notes: ReadonlyArray<string>
}

const maxSearchedArticles = 2_000

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)
const hangulPattern = /\p{Script=Hangul}/u

const getCompanyNames = ({ koreanName, name, symbol }: Stock): ReadonlyArray<string> => [
  symbol,
  name.replace(/,?\s+(?:Inc|Corp|Corporation|Company|Co|Ltd|plc|N\.V|S\.A)\.?$/iu, ""),
  ...(koreanName === null ? [] : [koreanName])
]

/** Matches a short ticker only in the exact case. A short ticker may also be an ordinary word. */
const shortTickerPattern = /^[A-Z0-9.]{1,4}$/u

const makeWordTest = (words: ReadonlyArray<string>): (text: string) => boolean => {
  const patterns = words.filter((word) => Array.from(word).length > 1).map((word) => {
    const end = hangulPattern.test(word) ? "" : String.raw`(?![\p{L}\p{N}])`
    return new RegExp(
      String.raw`(?<![\p{L}\p{N}])${escapeRegExp(word)}${end}`,
      shortTickerPattern.test(word) ? "u" : "iu"
    )
  })
  return (text) => patterns.some((pattern) => pattern.test(text))
}

/**
 * Returns articles whose title or body contains one of the words. If too many articles exist, a note reports that the
 * search is incomplete.
 */
const findArticlesWithWords = (
  feed: NewsFeed["Service"],
  words: ReadonlyArray<string>,
  query: Interval & { readonly limit: number }
) =>
  Effect.map(feed.articles({ ...query, limit: maxSearchedArticles + 1 }), (read) => {
    const containsWord = makeWordTest(words)
    const searched = read.value.slice(-maxSearchedArticles)
    const found = searched.filter(({ body, title }) => containsWord(`${title}\n${body}`))
    const [oldest] = searched
    const isTruncated = oldest !== undefined && read.value.length > searched.length && found.length < query.limit
    const notes = isTruncated
      ? [
        `Only the newest ${maxSearchedArticles} articles were searched for words, those since ${
          formatInstant(oldest.time)
        }.`
      ]
      : []
    return { read: mapReading(read, () => found.slice(-query.limit)), notes }
  })

type ArticlesEffect = Effect.Effect<InstrumentArticles, MarketError | ToolFailure>

/**
 * Finds the articles of a stock by its ticker or names. If the stock markets are unavailable, searches for articles
 * that contain `name`.
 */
const findByName = (
  feed: NewsFeed["Service"],
  equities: EquityMarkets["Service"],
  name: string,
  query: Interval & { readonly limit: number }
): ArticlesEffect =>
  findStockByName(equities, name).pipe(
    Effect.flatMap(({ notes, stock }) =>
      feed.articles({ ...query, symbol: stock.symbol }).pipe(
        Effect.map((read): InstrumentArticles => ({ read, symbol: stock.symbol, notes })),
        Effect.catchTags({
          NoData: () =>
            Effect.map(
              findArticlesWithWords(feed, getCompanyNames(stock), query),
              ({ notes: truncationNotes, read }) => ({
                read,
                symbol: stock.symbol,
                notes: [
                  ...notes,
                  `Articles are not stored by stock here, so these are the articles that mention ${stock.symbol}.`,
                  ...truncationNotes
                ]
              })
            )
        })
      )
    ),
    Effect.catchTag("SourceUnavailable", (error) =>
      Effect.flatMap(findArticlesWithWords(feed, [name], query), ({ notes, read }) =>
        read.value.length === 0 ? Effect.fail(error) : Effect.succeed<InstrumentArticles>({
          read,
          symbol: null,
          notes: [
            unavailableNote(error, "the stock is unknown, so these are the articles that contain the word"),
            ...notes
          ]
        })))
  )

/**
 * Returns articles about a coin or a stock, or about any instrument. A stock is identified by its ticker or company
 * name.
 */
export const findArticlesAbout = (
  feed: NewsFeed["Service"],
  equities: EquityMarkets["Service"],
  { coin, symbol }: InstrumentFilter,
  query: Interval & { readonly limit: number }
): ArticlesEffect => {
  const toResult = (read: Reading<ReadonlyArray<Article>>): InstrumentArticles => ({
    read,
    symbol: symbol ?? null,
    notes: []
  })
  if (symbol === undefined) return Effect.map(feed.articles(coin === undefined ? query : { ...query, coin }), toResult)
  const searchByName = () => findByName(feed, equities, symbol, query)
  return feed.articles({ ...query, symbol }).pipe(
    Effect.map(toResult),
    Effect.catchTags({ UnknownSymbol: searchByName, NoData: searchByName })
  )
}
