import { commonNames } from "@tapeline/core/analysis"
import { NameMatcher } from "./NameMatcher.ts"

export interface NamedStock {
  readonly symbol: string
  readonly name: string
}

/** Matches suffixes of company names that people omit, such as `Inc`. */
const legalForm =
  /[\s,]+(?:inc|incorporated|corp|corporation|company|co|ltd|limited|plc|nv|n\.v|sa|s\.a|ag|se|lp|holdings?|group|the|class [a-c]|common stock|ordinary shares|adr|&)\.?$/iu

const withoutLegalForm = (name: string): string => {
  let shortName = name.trim()
  for (let cut = shortName.replace(legalForm, ""); cut !== shortName; cut = shortName.replace(legalForm, "")) {
    shortName = cut.trim()
  }
  return shortName
}

/** Company names that are also ordinary words. A company whose name is an ordinary word matches only by its ticker. */
const ordinaryWords = new Set(
  ("target block visa ford snap match progressive southern dominion best chase delta united american general national " +
    "public state street first regions citizens discover capital carnival ross dollar tractor waters global trade " +
    "masco pool crown simon extra equity realty storage news paramount nasdaq trust energy universal unity roots " +
    "root open oscar square line life hope sharp fast shift grab cloud core base bill zoom wolf").split(" ")
)
const hangul = /\p{Script=Hangul}/u
const minNameLength = { hangul: 3, latin: 4 } as const

const isUnambiguousName = (name: string): boolean => {
  const folded = name.toLowerCase()
  if (hangul.test(folded)) return folded.replace(/\s/gu, "").length >= minNameLength.hangul
  return folded.includes(" ") || (folded.length >= minNameLength.latin && !ordinaryWords.has(folded))
}

/** Matches listings such as `(NASDAQ: AAPL)`, `NYSE:BRK.B`, `(005930)` and `005930.KS`. */
const listingPattern =
  /\b(?:NASDAQ|NYSE|AMEX|KRX|KOSPI|KOSDAQ)\s*:\s*([A-Z0-9][A-Z0-9.]{0,9})\b|\b(\d{6})\.K[SQ]\b|\((\d{6})\)/gu

export const makeStockFinder = (
  stocks: ReadonlyArray<NamedStock>
): (text: string, tags?: ReadonlyArray<string>) => ReadonlyArray<string> => {
  const symbols = new Set(stocks.map(({ symbol }) => symbol))
  const names = new NameMatcher<string>()
  for (const { name, symbol } of stocks) {
    names.addTicker(symbol, symbol, false)
    const shortName = withoutLegalForm(name)
    if (isUnambiguousName(shortName)) names.addName(shortName, symbol)
  }
  for (const [name, symbol] of Object.entries(commonNames)) {
    if (symbols.has(symbol) && isUnambiguousName(name)) names.addName(name, symbol)
  }
  return (text, tags = []) => {
    const listed = Array.from(text.matchAll(listingPattern), ([, us, suffixed, alone]) => us ?? suffixed ?? alone!)
    const tagged = tags.map((tag) => tag.trim())
    return [...new Set([...listed, ...tagged].filter((symbol) => symbols.has(symbol))), ...names.findIn(text)]
      .filter((symbol, i, all) => all.indexOf(symbol) === i)
  }
}
