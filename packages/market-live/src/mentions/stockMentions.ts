import { commonNames } from "@tapeline/core/analysis"
import { Names } from "./Names.ts"

/** A stock with the name that texts are searched for. */
export interface NamedStock {
  readonly symbol: string
  readonly name: string
}

/** Suffixes of company names that people omit. */
const legalForm =
  /[\s,]+(?:inc|incorporated|corp|corporation|company|co|ltd|limited|plc|nv|n\.v|sa|s\.a|ag|se|lp|holdings?|group|the|class [a-c]|common stock|ordinary shares|adr|&)\.?$/iu

const spokenName = (name: string): string => {
  let spoken = name.trim()
  for (let cut = spoken.replace(legalForm, ""); cut !== spoken; cut = spoken.replace(legalForm, "")) spoken = cut.trim()
  return spoken
}

/** Names that are ordinary words. They match only by ticker. */
const words = new Set(
  ("target block visa ford snap match progressive southern dominion best chase delta united american general national " +
    "public state street first regions citizens discover capital carnival ross dollar tractor waters global trade " +
    "masco pool crown simon extra equity realty storage news paramount nasdaq trust energy universal unity roots " +
    "root open oscar square line life hope sharp fast shift grab cloud core base bill zoom wolf").split(" ")
)
const hangul = /\p{Script=Hangul}/u
const leastSigns = { hangul: 3, latin: 4 } as const

const isSaidOfNothingElse = (name: string): boolean => {
  const folded = name.toLowerCase()
  if (hangul.test(folded)) return folded.replace(/\s/gu, "").length >= leastSigns.hangul
  return folded.includes(" ") || (folded.length >= leastSigns.latin && !words.has(folded))
}

/** Listings such as `(NASDAQ: AAPL)`, `NYSE:BRK.B`, `(005930)`, `005930.KS`. */
const listing =
  /\b(?:NASDAQ|NYSE|AMEX|KRX|KOSPI|KOSDAQ)\s*:\s*([A-Z0-9][A-Z0-9.]{0,9})\b|\b(\d{6})\.K[SQ]\b|\((\d{6})\)/gu

/** Makes a function that returns the known stocks which a text mentions. */
export const stockMentions = (
  stocks: ReadonlyArray<NamedStock>
): (text: string, tags?: ReadonlyArray<string>) => ReadonlyArray<string> => {
  const symbols = new Set(stocks.map(({ symbol }) => symbol))
  const names = new Names<string>()
  for (const { name, symbol } of stocks) {
    names.ticker(symbol, symbol, false)
    const spoken = spokenName(name)
    if (isSaidOfNothingElse(spoken)) names.name(spoken, symbol)
  }
  for (const [name, symbol] of Object.entries(commonNames)) {
    if (symbols.has(symbol) && isSaidOfNothingElse(name)) names.name(name, symbol)
  }
  return (text, tags = []) => {
    const listed = Array.from(text.matchAll(listing), ([, us, suffixed, alone]) => us ?? suffixed ?? alone!)
    const tagged = tags.map((tag) => tag.trim())
    return [...new Set([...listed, ...tagged].filter((symbol) => symbols.has(symbol))), ...names.in(text)]
      .filter((symbol, i, all) => all.indexOf(symbol) === i)
  }
}
