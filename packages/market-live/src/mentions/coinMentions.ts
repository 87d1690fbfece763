import { namedCoins, wordsOfCoin } from "./coinWords.ts"
import { Names } from "./Names.ts"

/** What names a coin that is not looked for: it is told apart from those that are. */
const another = ""

/** Of which coins, among those that are looked for, a text says something; in the order in which it names them. */
export const coinMentions = (coins: ReadonlyArray<string>): (text: string) => ReadonlyArray<string> => {
  const wanted = new Set(coins)
  const names = new Names<string>()
  for (const coin of new Set([...namedCoins, ...coins])) {
    const { en, isPlain, ko, ru } = wordsOfCoin(coin)
    const of = wanted.has(coin) ? coin : another
    names.ticker(coin, of, isPlain)
    for (const name of [...en, ...ko, ...ru]) names.name(name, of)
  }
  // A university, which people write of in the same capitals.
  for (const name of ["eth zurich", "eth zürich"]) names.name(name, another)
  return (text) => [...names.in(text)].filter((coin) => coin !== another)
}
