/** Finds the stock that a company name means. */
import type { Stock } from "../../market/instrument.ts"
import { commonNames } from "./commonNames.ts"

/** Returns the words of a name in capitals, without differences of width, punctuation and the like. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text.normalize("NFKC").toUpperCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "")

/** Joins the words: `S-Oil`, `S OIL` and `soil` become equal, and so do `SK 하이닉스` and `SK하이닉스`. */
const compact = (text: string): string => wordsOf(text).join("")

const common = new Map(Object.entries(commonNames).map(([name, symbol]) => [compact(name), symbol]))

/**
 * The minimum length of a part of a name. Shorter texts, such as T or US, are tickers. Two syllables of Hangul are
 * enough.
 */
const leastLetters = 4
const leastSyllables = 2
const isHangul = /\p{Script=Hangul}/u

const holdsWords = (name: ReadonlyArray<string>, asked: ReadonlyArray<string>, from: number): boolean =>
  asked.every((word, i) => name[from + i] === word)

/**
 * Ranks how well a name matches: 0 if equal, then by its beginning, then anywhere in it. Undefined if it does not
 * match.
 */
const fitOf = (name: string, asked: ReadonlyArray<string>): number | undefined => {
  const [whole, wanted] = [compact(name), asked.join("")]
  if (whole === wanted) return 0
  if (wanted.length < (isHangul.test(wanted) ? leastSyllables : leastLetters)) return undefined
  const words = wordsOf(name)
  if (holdsWords(words, asked, 0)) return 1
  // Korean names are written without spaces.
  if (whole.startsWith(wanted)) return 2
  if (words.some((_, from) => holdsWords(words, asked, from))) return 3
  return isHangul.test(wanted) && whole.includes(wanted) ? 4 : undefined
}

/**
 * Returns the stocks that match a name, or a ticker in another spelling (`BRK-B`, `005930.KS`). May return several or
 * none.
 */
export const matchName = (text: string, stocks: ReadonlyArray<Stock>): ReadonlyArray<Stock> => {
  const asked = wordsOf(text)
  if (asked.length === 0) return []
  const wanted = asked.join("")
  const ticker = compact(text.replace(/\.K[SQ]$/u, ""))
  const written = stocks.filter(({ symbol }) => compact(symbol) === ticker)
  if (written.length > 0) return written
  const known = common.get(wanted)
  const usual = stocks.filter(({ symbol }) => symbol === known)
  if (usual.length > 0) return usual
  let best = Infinity
  let found: Array<Stock> = []
  for (const stock of stocks) {
    const fits = [stock.name, stock.koreanName].flatMap((name) => name === null ? [] : fitOf(name, asked) ?? [])
    const fit = Math.min(Infinity, ...fits)
    if (fit > best || fit === Infinity) continue
    if (fit < best) found = []
    best = fit
    found.push(stock)
  }
  // A name means a stock that still trades, unless only delisted stocks have the name.
  const living = found.filter(({ delistedAt }) => delistedAt === null)
  return living.length > 0 ? living : found
}
