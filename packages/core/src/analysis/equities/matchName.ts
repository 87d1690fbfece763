/**
 * Which stock somebody means who writes a company's name.
 */
import type { Stock } from "../../market/instrument.ts"
import { commonNames } from "./commonNames.ts"

/** The words of a name in capitals; width, marks and the like do not count. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text.normalize("NFKC").toUpperCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "")

/** The same in one: `S-Oil`, `S OIL` and `soil` are one, and so are `SK 하이닉스` and `SK하이닉스`. */
const compact = (text: string): string => wordsOf(text).join("")

const common = new Map(Object.entries(commonNames).map(([name, symbol]) => [compact(name), symbol]))

/** A part of a name has so many letters: fewer, as in T or US, are somebody's ticker. Of Hangul two syllables do. */
const leastLetters = 4
const leastSyllables = 2
const isHangul = /\p{Script=Hangul}/u

const holdsWords = (name: ReadonlyArray<string>, asked: ReadonlyArray<string>, from: number): boolean =>
  asked.every((word, i) => name[from + i] === word)

/** How well a name fits: 0 as it is, then by its beginning, then somewhere in it; undefined when it does not. */
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

/** The stocks that a name or a ticker written another way (`BRK-B`, `005930.KS`) means: one, several, or none. */
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
  // Who asks by name means what trades, unless only the dead bear it.
  const living = found.filter(({ delistedAt }) => delistedAt === null)
  return living.length > 0 ? living : found
}
