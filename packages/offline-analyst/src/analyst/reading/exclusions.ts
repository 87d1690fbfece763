import { coinsOf } from "./coinNames.ts"
import { plain } from "./rule.ts"
import { isStockTicker } from "./stockNames.ts"

/** A coin that a question excludes, with the words that exclude it: "excluding btc". */
export interface Exclusion {
  readonly coin: string
  readonly words: string
}

const before =
  /(?<![\p{L}])(?:excluding|except(?: for)?|other than|besides|excl\.?|but not|not counting|кроме|исключая|не считая|без(?! (?:учета|плеча)))\s+(?:the\s+)?([\p{L}]{2,12})/gu
const after = /([\p{L}]{2,8}?)(?:은|는|을|를)?\s?(?:말고|빼고|제외(?:하고|한)?)/gu

/** Returns the coins that a question excludes. */
export const exclusionsIn = (question: string): ReadonlyArray<Exclusion> => {
  const folded = plain(question)
  return [...folded.matchAll(before), ...folded.matchAll(after)].flatMap(({ 0: words, 1: name = "" }) =>
    coinsOf(name, isStockTicker).coins.map((coin) => ({ coin, words }))
  )
}
