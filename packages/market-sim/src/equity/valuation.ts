/** The usual earnings and book value per share of a company, chosen to give realistic valuation ratios. */
import { dayMs, dayNumber } from "@tapeline/core/market"
import { drawNormal, drawUniform, type Key } from "../kernel/random.ts"
import type { StockSpec } from "./stockSpec.ts"

const typicalMultiples: Readonly<Record<string, readonly [pe: number, pb: number]>> = {
  technology: [32, 9],
  semiconductors: [30, 8],
  communication: [24, 6],
  internet: [26, 2.2],
  financials: [14, 1.8],
  "health care": [20, 4.5],
  "consumer staples": [21, 4.5],
  "consumer discretionary": [26, 6],
  energy: [13, 1.7],
  industrials: [22, 4],
  utilities: [18, 1.9],
  materials: [15, 1.2],
  automobiles: [7, 0.7],
  batteries: [45, 2.4],
  telecom: [11, 0.9],
  games: [19, 2],
  entertainment: [28, 3.2],
  defence: [27, 5],
  shipbuilding: [28, 4]
}

const lossProbability = 0.05

export interface FiscalQuarter {
  readonly year: number
  readonly quarter: number
  readonly endAt: number
}

const getYearsFrom2026 = ({ endAt }: FiscalQuarter): number => (endAt / dayMs - dayNumber(2026, 1, 1)) / 365

/** Returns the growth of earnings and of the price anchor, in log points per year. */
export const getGrowth = (spec: StockSpec): number => spec.country === "US" ? 0.09 : 0.06

/** Returns the usual annual earnings at a quarter, per share at the start of 2026, in the stock's currency. */
export const getUsualEps = (spec: StockSpec, fiscal: FiscalQuarter, key: Key): number => {
  const [pe] = typicalMultiples[spec.sector] ?? [20, 3]
  const companyPe = pe * Math.exp(0.25 * drawNormal(key, 0))
  const sign = drawUniform(key, 1) < lossProbability ? -0.3 : 1
  return sign * spec.price / companyPe * Math.exp(getGrowth(spec) * getYearsFrom2026(fiscal))
}

/** Returns a company's book value at the end of a quarter, divided by the number of shares at the start of 2026. */
export const getBookValue = (spec: StockSpec, fiscal: FiscalQuarter, key: Key): number => {
  const [, pb] = typicalMultiples[spec.sector] ?? [20, 3]
  return spec.price / (pb * Math.exp(0.25 * drawNormal(key, 2))) * Math.exp(getGrowth(spec) * getYearsFrom2026(fiscal))
}
