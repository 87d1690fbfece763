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

/** Converts Yahoo's exchange code, or returns undefined for other countries and over-the-counter trading. */
export const toExchange = (exchange: string | null | undefined): EquityExchange | undefined =>
  exchange === null || exchange === undefined ? undefined : exchanges[exchange]

const usTicker = /^[A-Z]{1,6}([.-][A-Z]{1,2})?$/u
const koreanTicker = /^\d{5}[0-9A-Z]$/u

/** Returns the country whose exchanges use symbols of the given form, or undefined if no country does. */
export const countryOfSymbol = (symbol: string): EquityCountry | undefined =>
  koreanTicker.test(symbol) ? "KR" : usTicker.test(symbol) ? "US" : undefined

/** Returns the possible Yahoo symbols of a stock, because a Korean symbol does not show the board of the stock. */
export const yahooSymbolsOf = (symbol: string): ReadonlyArray<string> => {
  switch (countryOfSymbol(symbol)) {
    case "US":
      return [symbol.replace(".", "-")]
    case "KR":
      return [`${symbol}.KS`, `${symbol}.KQ`]
    case undefined:
      return []
  }
}

/** Converts a Yahoo symbol to the symbol that the exchange uses. */
export const marketSymbol = (yahoo: string): string => yahoo.replace(/\.K[SQ]$/u, "").replace("-", ".")

export interface NamedIndex {
  readonly index: string
  readonly name: string
  readonly country: EquityCountry
  readonly yahooSymbol: string
}

/** The supported indices, where the volatility index counts as a US index. */
export const indices: ReadonlyArray<NamedIndex> = [
  { index: "SPX", name: "S&P 500", country: "US", yahooSymbol: "^GSPC" },
  { index: "NDX", name: "Nasdaq 100", country: "US", yahooSymbol: "^NDX" },
  { index: "DJI", name: "Dow Jones Industrial Average", country: "US", yahooSymbol: "^DJI" },
  { index: "RUT", name: "Russell 2000", country: "US", yahooSymbol: "^RUT" },
  { index: "VIX", name: "CBOE Volatility Index", country: "US", yahooSymbol: "^VIX" },
  { index: "KOSPI", name: "KOSPI", country: "KR", yahooSymbol: "^KS11" },
  { index: "KOSDAQ", name: "KOSDAQ", country: "KR", yahooSymbol: "^KQ11" }
]

/** The supported index futures; Yahoo has no futures on Korean indices. */
export const futures: ReadonlyArray<NamedIndex> = [
  { index: "ES", name: "S&P 500 future", country: "US", yahooSymbol: "ES=F" },
  { index: "NQ", name: "Nasdaq 100 future", country: "US", yahooSymbol: "NQ=F" },
  { index: "YM", name: "Dow future", country: "US", yahooSymbol: "YM=F" },
  { index: "RTY", name: "Russell 2000 future", country: "US", yahooSymbol: "RTY=F" }
]

/** Yahoo's symbols of the dollar's price in won, and of the three-month bill yield. */
export const usdKrwSymbol = "KRW=X"
export const treasuryBillSymbol = "^IRX"
