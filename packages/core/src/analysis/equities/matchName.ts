import type { Stock } from "../../market/instrument.ts"
import { commonNames } from "./commonNames.ts"

const splitWords = (text: string): ReadonlyArray<string> =>
  text.normalize("NFKC").toUpperCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "")

/** Joins the words of a name in upper case. `S-Oil` and `S OIL` both become `SOIL`. */
const joinWords = (text: string): string => splitWords(text).join("")

const symbolsByCommonName = new Map(Object.entries(commonNames).map(([name, symbol]) => [joinWords(name), symbol]))

/** The minimum length of a partial name, in letters. A shorter text, such as T or US, is compared only with tickers. */
const minLetters = 4
const minSyllables = 2
const hangulPattern = /\p{Script=Hangul}/u

const containsWordsAt = (name: ReadonlyArray<string>, queryWords: ReadonlyArray<string>, from: number): boolean =>
  queryWords.every((word, i) => name[from + i] === word)

/** Ranks how well a name matches a query. The rank is 0 for an exact match, at most 4, and undefined for no match. */
const rankMatch = (name: string, queryWords: ReadonlyArray<string>): number | undefined => {
  const [joinedName, joinedQuery] = [joinWords(name), queryWords.join("")]
  if (joinedName === joinedQuery) return 0
  if (joinedQuery.length < (hangulPattern.test(joinedQuery) ? minSyllables : minLetters)) return undefined
  const words = splitWords(name)
  if (containsWordsAt(words, queryWords, 0)) return 1
  // Korean names are written without spaces.
  if (joinedName.startsWith(joinedQuery)) return 2
  if (words.some((_, from) => containsWordsAt(words, queryWords, from))) return 3
  return hangulPattern.test(joinedQuery) && joinedName.includes(joinedQuery) ? 4 : undefined
}

/** Returns all stocks that match a name, or a ticker in another spelling (`BRK-B`, `005930.KS`). */
export const findStocksByName = (text: string, stocks: ReadonlyArray<Stock>): ReadonlyArray<Stock> => {
  const queryWords = splitWords(text)
  if (queryWords.length === 0) return []
  const joinedQuery = queryWords.join("")
  const ticker = joinWords(text.replace(/\.K[SQ]$/u, ""))
  const tickerMatches = stocks.filter(({ symbol }) => joinWords(symbol) === ticker)
  if (tickerMatches.length > 0) return tickerMatches
  const commonSymbol = symbolsByCommonName.get(joinedQuery)
  const commonNameMatches = stocks.filter(({ symbol }) => symbol === commonSymbol)
  if (commonNameMatches.length > 0) return commonNameMatches
  let bestRank = Infinity
  let bestMatches: Array<Stock> = []
  for (const stock of stocks) {
    const ranks = [stock.name, stock.koreanName].flatMap((name) =>
      name === null ? [] : rankMatch(name, queryWords) ?? []
    )
    const rank = Math.min(Infinity, ...ranks)
    if (rank > bestRank || rank === Infinity) continue
    if (rank < bestRank) bestMatches = []
    bestRank = rank
    bestMatches.push(stock)
  }
  // A name means a stock that still trades, unless only delisted stocks have the name.
  const tradedMatches = bestMatches.filter(({ delistedAt }) => delistedAt === null)
  return tradedMatches.length > 0 ? tradedMatches : bestMatches
}
