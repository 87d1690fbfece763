/**
 * The equity universe: sixty US and sixty Korean stocks with facts near the real ones of the mid-2020s, which trade in
 * all simulated years, and one of each country that was listed within them, one that was delisted.
 * Prices, shares and volatilities are anchors of the simulation, not quotes.
 */
import type { EquityCountry } from "@tapeline/core/market"
import { koreanNames } from "./koreanNames.ts"
import { koreanRows } from "./stocksKr.ts"
import type { StockRow, StockSpec } from "./stockSpec.ts"
import { usRows } from "./stocksUs.ts"

const specOf = (country: EquityCountry) => (row: StockRow): StockSpec => ({
  symbol: row[0],
  name: row[1],
  koreanName: koreanNames.get(row[0]) ?? row[1],
  country,
  exchange: row[2],
  currency: country === "US" ? "USD" : "KRW",
  sector: row[3],
  price: row[4],
  shares: row[5] * 1e6,
  dailySd: row[6] / 100,
  marketShare: row[7],
  firstDay: row[8]?.[0] ?? null,
  lastDay: row[8]?.[1] ?? null
})

export const stockSpecs: ReadonlyArray<StockSpec> = [...usRows.map(specOf("US")), ...koreanRows.map(specOf("KR"))]

/** A future on an index, or on a narrower index that moves with it. */
export interface FutureSpec {
  readonly symbol: string
  readonly name: string
  /** Level of the future's own index for each point of the index. */
  readonly scale: number
  /** Smallest change of its price, index points. */
  readonly tick: number
}

export interface IndexSpec {
  readonly index: string
  readonly name: string
  readonly country: EquityCountry
  readonly value: number
  readonly dailySd: number
  readonly marketShare: number
  /** Sector that the index leans to; null for a broad one. */
  readonly sector: string | null
  readonly future: FutureSpec | null
  /** Whether members count by their capitalisation or by their price. */
  readonly weighting: "capitalisation" | "price"
}

/** Members of the Dow by nature: large, neither utilities nor too dear for an average of prices. */
const dow = { leastCap: 200e9, mostPrice: 700 }
/** What counts as small among these sixty. */
const russellMostCap = 200e9

/** Whether a stock of the index's country is one of its members. */
export const isMember = (
  { index }: IndexSpec,
  { exchange, firstDay, lastDay, price, sector, shares }: StockSpec
): boolean => {
  // A member that comes or goes would need another divisor.
  if (firstDay !== null || lastDay !== null) return false
  switch (index) {
    case "NDX":
      return exchange === "NASDAQ" && sector !== "financials"
    case "DJI":
      return price * shares >= dow.leastCap && sector !== "utilities" && price < dow.mostPrice
    case "RUT":
      return price * shares <= russellMostCap
    case "KOSPI":
    case "KOSDAQ":
      return exchange === index
    default:
      return true
  }
}

export const indexSpecs: ReadonlyArray<IndexSpec> = [
  {
    index: "SPX",
    name: "S&P 500",
    country: "US",
    value: 6_700,
    dailySd: 0.0122,
    marketShare: 0.99,
    sector: null,
    future: { symbol: "ES", name: "S&P 500 future", scale: 1, tick: 0.01 },
    weighting: "capitalisation"
  },
  {
    index: "NDX",
    name: "Nasdaq 100",
    country: "US",
    value: 24_800,
    dailySd: 0.0148,
    marketShare: 0.86,
    sector: "technology",
    future: { symbol: "NQ", name: "Nasdaq 100 future", scale: 1, tick: 0.01 },
    weighting: "capitalisation"
  },
  {
    index: "DJI",
    name: "Dow Jones Industrial Average",
    country: "US",
    value: 46_800,
    dailySd: 0.0112,
    marketShare: 0.9,
    sector: "industrials",
    future: { symbol: "YM", name: "Dow Jones Industrial Average future", scale: 1, tick: 0.01 },
    weighting: "price"
  },
  {
    index: "RUT",
    name: "Russell 2000",
    country: "US",
    value: 2_450,
    dailySd: 0.0125,
    marketShare: 0.78,
    sector: "financials",
    future: { symbol: "RTY", name: "Russell 2000 future", scale: 1, tick: 0.01 },
    weighting: "capitalisation"
  },
  {
    index: "KOSPI",
    name: "KOSPI",
    country: "KR",
    value: 3_950,
    dailySd: 0.0136,
    marketShare: 0.97,
    sector: null,
    // On the KOSPI 200, which counts from 100 points in 1990 and is calculated with the KOSPI's largest members.
    future: { symbol: "K200", name: "KOSPI 200 future", scale: 0.1415, tick: 0.05 },
    weighting: "capitalisation"
  },
  {
    index: "KOSDAQ",
    name: "KOSDAQ",
    country: "KR",
    value: 910,
    dailySd: 0.0235,
    marketShare: 0.8,
    sector: "health care",
    future: null,
    weighting: "capitalisation"
  }
]
