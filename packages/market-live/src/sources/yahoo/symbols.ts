/** Yahoo's names of stocks, exchanges, indices and futures. */
import type { EquityCountry, EquityExchange } from "@tapeline/core/market"

const exchanges: Readonly<Record<string, EquityExchange>> = {
  NMS: "NASDAQ",
  NGM: "NASDAQ",
  NCM: "NASDAQ",
  NYQ: "NYSE",
  PCX: "NYSE Arca",
  ASE: "NYSE American",
  BTS: "Cboe BZX",
  KSC: "KOSPI",
  KOE: "KOSDAQ"
}

/** Converts Yahoo's exchange code. Undefined for exchanges of other countries, and for over-the-counter trading. */
export const exchangeOf = (exchange: string | null | undefined): EquityExchange | undefined =>
  exchange === null || exchange === undefined ? undefined : exchanges[exchange]

const usTicker = /^[A-Z]{1,6}([.-][A-Z]{1,2})?$/u
const koreanTicker = /^\d{5}[0-9A-Z]$/u

/** The country whose markets use this form of symbol; undefined if no country does. */
export const countryOf = (symbol: string): EquityCountry | undefined =>
  koreanTicker.test(symbol) ? "KR" : usTicker.test(symbol) ? "US" : undefined

/** The possible Yahoo symbols. A Korean symbol does not show on which of the two boards it is listed. */
export const yahooSymbols = (symbol: string): ReadonlyArray<string> => {
  switch (countryOf(symbol)) {
    case "US":
      return [symbol.replace(".", "-")]
    case "KR":
      return [`${symbol}.KS`, `${symbol}.KQ`]
    case undefined:
      return []
  }
}

/** Converts a Yahoo symbol to the form that its market uses. */
export const symbolOf = (yahoo: string): string => yahoo.replace(/\.K[SQ]$/u, "").replace("-", ".")

export interface NamedIndex {
  readonly index: string
  readonly name: string
  readonly country: EquityCountry
  readonly yahoo: string
}

/** The indices. The volatility index counts as a US index. */
export const indices: ReadonlyArray<NamedIndex> = [
  { index: "SPX", name: "S&P 500", country: "US", yahoo: "^GSPC" },
  { index: "NDX", name: "Nasdaq 100", country: "US", yahoo: "^NDX" },
  { index: "DJI", name: "Dow Jones Industrial Average", country: "US", yahoo: "^DJI" },
  { index: "RUT", name: "Russell 2000", country: "US", yahoo: "^RUT" },
  { index: "VIX", name: "CBOE Volatility Index", country: "US", yahoo: "^VIX" },
  { index: "KOSPI", name: "KOSPI", country: "KR", yahoo: "^KS11" },
  { index: "KOSDAQ", name: "KOSDAQ", country: "KR", yahoo: "^KQ11" }
]

/** The futures. Yahoo has no futures on Korean indices. */
export const futures: ReadonlyArray<NamedIndex> = [
  { index: "ES", name: "S&P 500 future", country: "US", yahoo: "ES=F" },
  { index: "NQ", name: "Nasdaq 100 future", country: "US", yahoo: "NQ=F" },
  { index: "YM", name: "Dow future", country: "US", yahoo: "YM=F" },
  { index: "RTY", name: "Russell 2000 future", country: "US", yahoo: "RTY=F" }
]

/** The symbols of the won per dollar, and of the yield of three-month bills. */
export const wonSymbol = "KRW=X"
export const billSymbol = "^IRX"
