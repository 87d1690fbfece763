/** Coins by their names, for arguments that hold nothing else. */
import { coinNames } from "./coinNames.ts"

/** Names that are ordinary words too: they mean a coin where a coin is asked for. */
const words: Readonly<Record<string, string>> = {
  cosmos: "ATOM",
  immutable: "IMX",
  injective: "INJ",
  jupiter: "JUP",
  lido: "LDO",
  "lido dao": "LDO",
  optimism: "OP",
  render: "RENDER",
  stacks: "STX",
  "usd coin": "USDC"
}

/** Whole names; of Russian ones the patterns are beginnings, which endings follow. */
const patterns = coinNames.map(({ en, ko, ru, ticker }) => ({
  ticker,
  pattern: new RegExp(`^(?:${en}|${ko}|(?:${ru})[а-я]{0,2})$`, "u")
}))

/** No name is longer. */
const maxLength = 40

/** The ticker of a coin that a text names in English, Korean or Russian; undefined if it names none. */
export const coinOfName = (text: string): string | undefined => {
  if (text.length > maxLength) return undefined
  const name = text.normalize("NFC").toLowerCase().replaceAll("ё", "е").trim().replaceAll(/\s+/gu, " ")
  return Object.hasOwn(words, name) ? words[name] : patterns.find(({ pattern }) => pattern.test(name))?.ticker
}
