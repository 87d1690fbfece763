/**
 * The simulated stocks and indices. Sixty US stocks and sixty Korean stocks resemble real stocks of the mid-2020s. Each
 * country also has one stock that is listed later and one stock that is delisted.
 */
import type { EquityCountry } from "@tapeline/core/market"
import { koreanNames } from "./koreanNames.ts"
import { koreanRows } from "./stocksKr.ts"
import type { StockRow, StockSpec } from "./stockSpec.ts"
import { usRows } from "./stocksUs.ts"

const makeSpec = (country: EquityCountry) => (row: StockRow): StockSpec => ({
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

export const stockSpecs: ReadonlyArray<StockSpec> = [...usRows.map(makeSpec("US")), ...koreanRows.map(makeSpec("KR"))]

/** The future on an index. The future may refer to a narrower index that moves with the simulated index. */
export interface FutureSpec {
  readonly symbol: string
  readonly name: string
  /** The level of the future's own index divided by the level of the simulated index. */
  readonly scale: number
  /** The smallest price change of the future, in index points. */
  readonly tick: number
}

export interface IndexSpec {
  readonly index: string
  readonly name: string
  readonly country: EquityCountry
  readonly value: number
  readonly dailySd: number
  readonly marketShare: number
  /** The sector with the most influence on the index, or null for a broad index. */
  readonly sector: string | null
  readonly future: FutureSpec | null
  /** Whether members are weighted by capitalisation or by price. */
  readonly weighting: "capitalisation" | "price"
}

/** The criteria for members of the Dow Jones index. `minCap` and `maxPrice` are in USD. */
// A stock with a very high price would dominate a price-weighted index.
const dowCriteria = { minCap: 200e9, maxPrice: 700 }
/** The maximum capitalisation of a company that counts as small. */
const russellMaxCap = 200e9

/** Returns whether a stock is a member of an index. The stock and the index must be of the same country. */
export const isMember = (
  { index }: IndexSpec,
  { exchange, firstDay, lastDay, price, sector, shares }: StockSpec
): boolean => {
  // A stock that is listed or delisted during the simulation would change the divisor of the index.
  if (firstDay !== null || lastDay !== null) return false
  switch (index) {
    case "NDX":
      return exchange === "NASDAQ" && sector !== "financials"
    case "DJI":
      return price * shares >= dowCriteria.minCap && sector !== "utilities" && price < dowCriteria.maxPrice
    case "RUT":
      return price * shares <= russellMaxCap
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
    // The future is on the KOSPI 200, which contains the largest KOSPI stocks and started at 100 points in 1990.
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
