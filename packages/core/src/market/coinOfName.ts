/** Coins by their names, for arguments that contain only a name. */
import { coinNames } from "./coinNames.ts"

/** Names that are also ordinary words. They mean a coin only in an argument for a coin. */
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

/** Patterns of whole names. Russian patterns are beginnings, so an ending may follow. */
const patterns = coinNames.map(({ en, ko, ru, ticker }) => ({
  ticker,
  pattern: new RegExp(`^(?:${en}|${ko}|(?:${ru})[а-я]{0,2})$`, "u")
}))

/** The maximum length of a name. */
const maxLength = 40

/** Returns the ticker of the coin that `text` names in English, Korean or Russian, or undefined. */
export const coinOfName = (text: string): string | undefined => {
  if (text.length > maxLength) return undefined
  const name = text.normalize("NFC").toLowerCase().replaceAll("ё", "е").trim().replaceAll(/\s+/gu, " ")
  return Object.hasOwn(words, name) ? words[name] : patterns.find(({ pattern }) => pattern.test(name))?.ticker
}
