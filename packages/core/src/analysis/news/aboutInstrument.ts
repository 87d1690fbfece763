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

/** Of the newest articles so many are looked through for words. */
const lookedThrough = 2_000

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)
const isHangul = /\p{Script=Hangul}/u

/** What a company is called by, without what its name ends with for lawyers. */
const calledBy = ({ koreanName, name, symbol }: Stock): ReadonlyArray<string> => [
  symbol,
  name.replace(/,?\s+(?:Inc|Corp|Corporation|Company|Co|Ltd|plc|N\.V|S\.A)\.?$/iu, ""),
  ...(koreanName === null ? [] : [koreanName])
]

/** A ticker may be a word of its own: it is looked for as it is written. Longer ones are names, in whatever letters. */
const isTicker = /^[A-Z0-9.]{1,4}$/u

/** Whether one of some words stands in a text; a Korean one may have a particle behind it. */
const holds = (words: ReadonlyArray<string>): (text: string) => boolean => {
  const patterns = words.filter((word) => Array.from(word).length > 1).map((word) => {
    const end = isHangul.test(word) ? "" : String.raw`(?![\p{L}\p{N}])`
    return new RegExp(String.raw`(?<![\p{L}\p{N}])${escaped(word)}${end}`, isTicker.test(word) ? "u" : "iu")
  })
  return (text) => patterns.some((pattern) => pattern.test(text))
}

/**
 * Articles that have one of some words in their title or where they begin. What was published before those that are
 * looked through is said where it may be missed: where fewer are found than are wanted.
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

/** A stock under whose ticker no articles are kept, or that nobody knows while those who know stocks are away. */
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

/** Articles about a coin, about a stock by its ticker or a company's name, or about anything. */
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
