/** What Yahoo calls stocks, exchanges, indices and futures. */
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

/** Undefined of an exchange that is none of both countries', and of what is dealt over the counter. */
export const exchangeOf = (exchange: string | null | undefined): EquityExchange | undefined =>
  exchange === null || exchange === undefined ? undefined : exchanges[exchange]

const usTicker = /^[A-Z]{1,6}([.-][A-Z]{1,2})?$/u
const koreanTicker = /^\d{5}[0-9A-Z]$/u

/** The country whose market writes symbols so; undefined where none does. */
export const countryOf = (symbol: string): EquityCountry | undefined =>
  koreanTicker.test(symbol) ? "KR" : usTicker.test(symbol) ? "US" : undefined

/** What a symbol may be called: a Korean one does not say on which of its two boards it is listed. */
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

/** The symbol as its market writes it. */
export const symbolOf = (yahoo: string): string => yahoo.replace(/\.K[SQ]$/u, "").replace("-", ".")

export interface NamedIndex {
  readonly index: string
  readonly name: string
  readonly country: EquityCountry
  readonly yahoo: string
}

/** The volatility index is one of the US ones. */
export const indices: ReadonlyArray<NamedIndex> = [
  { index: "SPX", name: "S&P 500", country: "US", yahoo: "^GSPC" },
  { index: "NDX", name: "Nasdaq 100", country: "US", yahoo: "^NDX" },
  { index: "DJI", name: "Dow Jones Industrial Average", country: "US", yahoo: "^DJI" },
  { index: "RUT", name: "Russell 2000", country: "US", yahoo: "^RUT" },
  { index: "VIX", name: "CBOE Volatility Index", country: "US", yahoo: "^VIX" },
  { index: "KOSPI", name: "KOSPI", country: "KR", yahoo: "^KS11" },
  { index: "KOSDAQ", name: "KOSDAQ", country: "KR", yahoo: "^KQ11" }
]

/** It has no futures of Korean indices. */
export const futures: ReadonlyArray<NamedIndex> = [
  { index: "ES", name: "S&P 500 future", country: "US", yahoo: "ES=F" },
  { index: "NQ", name: "Nasdaq 100 future", country: "US", yahoo: "NQ=F" },
  { index: "YM", name: "Dow future", country: "US", yahoo: "YM=F" },
  { index: "RTY", name: "Russell 2000 future", country: "US", yahoo: "RTY=F" }
]

/** Won for a dollar, and the yield of three months' bills. */
export const wonSymbol = "KRW=X"
export const billSymbol = "^IRX"
