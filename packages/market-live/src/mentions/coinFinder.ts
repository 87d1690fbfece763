import { coinNamesOf, namedCoins } from "./coinNames.ts"
import { NameMatcher } from "./NameMatcher.ts"

/** Marks the names of coins that are not searched for. A marked name does not match a searched coin. */
const otherName = ""

/** Returns a function that finds the searched coins in a text, in the order of their first mention. */
export const makeCoinFinder = (coins: ReadonlyArray<string>): (text: string) => ReadonlyArray<string> => {
  const wanted = new Set(coins)
  const names = new NameMatcher<string>()
  for (const coin of new Set([...namedCoins, ...coins])) {
    const { en, isUnambiguous, ko, ru } = coinNamesOf(coin)
    const of = wanted.has(coin) ? coin : otherName
    names.addTicker(coin, of, isUnambiguous)
    for (const name of [...en, ...ko, ...ru]) names.addName(name, of)
  }
  // ETH Zurich is a university whose name contains the ticker of Ethereum.
  for (const name of ["eth zurich", "eth zürich"]) names.addName(name, otherName)
  return (text) => [...names.findIn(text)].filter((coin) => coin !== otherName)
}
