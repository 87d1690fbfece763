import { namedCoins, wordsOfCoin } from "./coinWords.ts"
import { Names } from "./Names.ts"

/** Marks names of coins that are not searched for, so that they do not match a searched coin. */
const another = ""

/** Makes a function that returns the searched coins which a text mentions, in the order of their first mention. */
export const coinMentions = (coins: ReadonlyArray<string>): (text: string) => ReadonlyArray<string> => {
  const wanted = new Set(coins)
  const names = new Names<string>()
  for (const coin of new Set([...namedCoins, ...coins])) {
    const { en, isPlain, ko, ru } = wordsOfCoin(coin)
    const of = wanted.has(coin) ? coin : another
    names.ticker(coin, of, isPlain)
    for (const name of [...en, ...ko, ...ru]) names.name(name, of)
  }
  // A university that is often written with the same capitals.
  for (const name of ["eth zurich", "eth zürich"]) names.name(name, another)
  return (text) => [...names.in(text)].filter((coin) => coin !== another)
}
