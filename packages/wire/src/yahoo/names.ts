import type { EquityExchange, Stock } from "@tapeline/core/market"

export const exchangeCodes: Readonly<Record<EquityExchange, readonly [code: string, name: string]>> = {
  NASDAQ: ["NMS", "NasdaqGS"],
  NYSE: ["NYQ", "NYSE"],
  "NYSE Arca": ["PCX", "NYSEArca"],
  "NYSE American": ["ASE", "NYSE American"],
  "Cboe BZX": ["BTS", "Cboe US"],
  KOSPI: ["KSC", "KSE"],
  KOSDAQ: ["KOE", "KOSDAQ"],
  KONEX: ["KNX", "KONEX"]
}

export const toYahooSymbol = ({ exchange, symbol }: Pick<Stock, "exchange" | "symbol">): string =>
  exchange === "KOSPI" ? `${symbol}.KS` : exchange === "KOSDAQ" ? `${symbol}.KQ` : symbol.replace(".", "-")

export const toOwnSymbol = (yahoo: string): string => yahoo.replace(/\.K[SQ]$/u, "").replace("-", ".")

export const indexSymbols: Readonly<Record<string, string>> = {
  "^GSPC": "SPX",
  "^NDX": "NDX",
  "^DJI": "DJI",
  "^RUT": "RUT",
  "^VIX": "VIX",
  "^KS11": "KOSPI",
  "^KQ11": "KOSDAQ",
  "ES=F": "ES",
  "NQ=F": "NQ",
  "YM=F": "YM",
  "RTY=F": "RTY"
}

export const seconds = (ms: number): number => Math.floor(ms / 1_000)
