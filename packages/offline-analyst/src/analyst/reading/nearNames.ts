import { findNearestName } from "@tapeline/core/engine"
import { coinPatterns } from "./coinNames.ts"
import { stockPatterns } from "./stockNames.ts"

/** Returns the plain names in a regular expression: `bitcoin` and `xbt` for `bitcoins?(?! cash)|xbt`. */
export const namesIn = (pattern: string): ReadonlyArray<string> =>
  pattern.replaceAll(/\(\?[^()]*(?:\([^()]*\)[^()]*)*\)|\([^()]*\)/g, "").split("|")
    .map((name) => name.replaceAll(/\\s\?|.\?/g, "").replaceAll("\\", "").trim())
    .filter((name) => name.length > 2 && /^[\p{L}\p{N} &'-]+$/u.test(name))

const named: ReadonlyMap<string, string> = new Map([
  ...stockPatterns.flatMap(({ name, symbol, texts }) =>
    [symbol, name, ...texts.flatMap(namesIn)].map((one) => [one.toLowerCase(), `${name} (${symbol})`] as const)
  ),
  ...coinPatterns.flatMap(({ texts, ticker }) =>
    [ticker, ...texts.flatMap(namesIn)].map((one) => [one.toLowerCase(), ticker] as const)
  )
])

const mostNames = 3
/** The minimum length of a misspelt name, because many names are similar to a shorter name. */
const leastLetters = 4

/** Returns the instruments whose names differ from `name` in a few letters, nearest first. */
export const nearNames = (name: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  if (name.length < leastLetters && !/[가-힣]/u.test(name)) return found
  let left = [...named]
  while (found.length < mostNames) {
    const nearest = findNearestName(name.toLowerCase(), left.map(([one]) => one))
    const instrument = nearest === null ? undefined : named.get(nearest)
    if (instrument === undefined) return found
    found.push(instrument)
    left = left.filter(([, one]) => one !== instrument)
  }
  return found
}
