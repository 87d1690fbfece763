import { findNearestName } from "@tapeline/core/engine"
import { coinPatterns } from "./coinNames.ts"
import { stockPatterns } from "./stockNames.ts"

/** What a pattern of names says when it is read as names: `bitcoins?(?! cash)|xbt` as `bitcoin` and `xbt`. */
const namesIn = (pattern: string): ReadonlyArray<string> =>
  pattern.replaceAll(/\(\?[^()]*(?:\([^()]*\)[^()]*)*\)|\([^()]*\)/g, "").split("|")
    .map((name) => name.replaceAll(/\\s\?|.\?/g, "").replaceAll("\\", "").trim())
    .filter((name) => name.length > 2 && /^[\p{L}\p{N} &'-]+$/u.test(name))

/** Every name, in lower case, with the instrument that it names. */
const named: ReadonlyMap<string, string> = new Map([
  ...stockPatterns.flatMap(({ name, symbol, texts }) =>
    [symbol, name, ...texts.flatMap(namesIn)].map((one) => [one.toLowerCase(), `${name} (${symbol})`] as const)
  ),
  ...coinPatterns.flatMap(({ texts, ticker }) =>
    [ticker, ...texts.flatMap(namesIn)].map((one) => [one.toLowerCase(), ticker] as const)
  )
])

const mostNames = 3
/** Of a shorter name every other is near. */
const leastLetters = 4

/** The instruments whose names differ from `name` in a few letters, the nearest first. */
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
