/** Simulates quarterly statements whose items add up and follow from earnings, book value and the sector's margins. */
import { dayMs, type FinancialPeriod, type Fundamentals } from "@tapeline/core/market"
import { deriveKey, drawNormal, type Key } from "../../kernel/random.ts"
import type { World } from "../../world.ts"
import type { StockSpec } from "../stockSpec.ts"
import type { StockWithMarket } from "../stockWithMarket.ts"
import { getBookValue, getUsualEps } from "../valuation.ts"
import {
  formatQuarter,
  getAnnouncement,
  getFiscalQuarter,
  getLastReportedQuarter,
  getQuarterEnd,
  getQuarterNumber,
  getYear,
  type Quarter
} from "./fiscalQuarters.ts"
import { getQuarterEps } from "./results.ts"

export const getValuationKey = (world: World, spec: StockSpec): Key => world.getKey(`valuation ${spec.symbol}`)

/** The gross margin, net margin, liabilities over equity, and capital expenditure over revenue, by sector. */
const financialProfiles: Readonly<
  Record<string, readonly [gross: number, net: number, leverage: number, capex: number]>
> = {
  technology: [0.6, 0.24, 1.1, 0.06],
  semiconductors: [0.55, 0.28, 0.6, 0.12],
  communication: [0.55, 0.2, 1.2, 0.12],
  internet: [0.5, 0.12, 0.8, 0.07],
  financials: [0.62, 0.25, 8, 0.02],
  "health care": [0.62, 0.17, 1.4, 0.05],
  "consumer staples": [0.36, 0.1, 2, 0.04],
  "consumer discretionary": [0.38, 0.08, 2.2, 0.06],
  energy: [0.35, 0.09, 0.9, 0.09],
  industrials: [0.3, 0.1, 1.8, 0.05],
  utilities: [0.42, 0.13, 2.2, 0.25],
  materials: [0.27, 0.08, 1, 0.09],
  telecom: [0.5, 0.09, 1.6, 0.14],
  games: [0.6, 0.17, 0.4, 0.04]
}
const defaultProfile = [0.3, 0.08, 1.4, 0.07] as const
const taxRate = 0.21

type CompletePeriod = { readonly [K in keyof FinancialPeriod]: NonNullable<FinancialPeriod[K]> }
type CompleteFundamentals = Omit<Fundamentals, "quarters" | "years"> & {
  readonly years: ReadonlyArray<CompletePeriod>
  readonly quarters: ReadonlyArray<CompletePeriod>
}

const makeQuarterStatements = (spec: StockSpec, key: Key, quarter: Quarter, shareFactor: number): CompletePeriod => {
  const draws = deriveKey(key, quarter, 45)
  const fiscal = getFiscalQuarter(quarter)
  const [gross, net, leverage, capex] = financialProfiles[spec.sector] ?? defaultProfile
  const drawFactor = (slot: number, spread: number): number =>
    Math.exp(spread * drawNormal(key, slot) + spread / 5 * drawNormal(draws, slot))
  const earningsPerShare = getQuarterEps(spec, key, quarter)
  const netIncome = Math.round(earningsPerShare * spec.shares)
  // A company with a loss still has the typical revenue of its sector.
  const usualEarnings = Math.abs(getUsualEps(spec, fiscal, key)) / 4 * (earningsPerShare < 0 ? 2 : 1) * spec.shares
  const revenue = Math.round(Math.max(usualEarnings, netIncome) / net * drawFactor(46, 0.2))
  const operatingIncome = Math.round(netIncome > 0 ? netIncome / (1 - taxRate) * drawFactor(47, 0.04) : netIncome * 0.9)
  const grossProfit = Math.round(
    Math.min(0.92 * revenue, Math.max(revenue * gross * drawFactor(48, 0.1), operatingIncome * 1.25))
  )
  const equity = Math.round(getBookValue(spec, fiscal, key) * spec.shares)
  const totalLiabilities = Math.round(equity * leverage * drawFactor(49, 0.25))
  const capitalExpenditure = Math.round(revenue * capex * drawFactor(50, 0.3))
  const operatingCashFlow = Math.round(netIncome + revenue * (0.03 + 0.6 * capex) * drawFactor(51, 0.2))
  return {
    period: formatQuarter(quarter),
    endAt: getQuarterEnd(quarter),
    reportedAt: getAnnouncement(spec, key, quarter).time,
    revenue,
    grossProfit,
    operatingIncome,
    netIncome,
    eps: Math.round(10_000 * earningsPerShare / shareFactor) / 10_000,
    totalAssets: equity + totalLiabilities,
    totalLiabilities,
    equity,
    cash: Math.round((equity + totalLiabilities) * 0.08 * drawFactor(52, 0.4)),
    totalDebt: Math.round(totalLiabilities * Math.min(0.8, 0.4 * drawFactor(53, 0.3))),
    operatingCashFlow,
    capitalExpenditure,
    freeCashFlow: operatingCashFlow - capitalExpenditure
  }
}

/** Creates the statements of a year, with flows summed over the quarters and the balance sheet of the last quarter. */
const makeYearStatements = (spec: StockSpec, key: Key, year: number, shareFactor: number): CompletePeriod => {
  const quarters = [0, 1, 2, 3].map((i) => makeQuarterStatements(spec, key, 4 * year + i, shareFactor))
  const last = quarters[3]!
  const sumQuarters = (pick: (period: CompletePeriod) => number): number =>
    quarters.reduce((total, period) => total + pick(period), 0)
  return {
    ...last,
    period: String(year),
    revenue: sumQuarters((period) => period.revenue),
    grossProfit: sumQuarters((period) => period.grossProfit),
    operatingIncome: sumQuarters((period) => period.operatingIncome),
    netIncome: sumQuarters((period) => period.netIncome),
    eps: Math.round(10_000 * sumQuarters((period) => period.eps)) / 10_000,
    operatingCashFlow: sumQuarters((period) => period.operatingCashFlow),
    capitalExpenditure: sumQuarters((period) => period.capitalExpenditure),
    freeCashFlow: sumQuarters((period) => period.freeCashFlow)
  }
}

/** Returns the dividends of the year before `now` as a percentage of the price. */
export const dividendYieldPct = ({ market }: StockWithMarket, now: number): number => {
  const paidDividends = market.actions
    .filter(({ time, payoutShare }) => payoutShare > 0 && time <= now && time > now - 365 * dayMs)
    .reduce(
      (sum, { time, payoutShare }) =>
        sum + payoutShare * market.price(time - 1) * market.getShareFactor(time) / market.getShareFactor(now),
      0
    )
  return 100 * paidDividends / market.price(now)
}

/** Returns the statements that a company has reported by `now`, and ratios at the current price. */
export const getFundamentals = (world: World, listed: StockWithMarket, now: number): CompleteFundamentals => {
  const { spec, market } = listed
  const key = getValuationKey(world, spec)
  const shareFactor = market.getShareFactor(now)
  const latest = getLastReportedQuarter(spec, key, now)
  const quarters = [3, 2, 1, 0].map((ago) => makeQuarterStatements(spec, key, latest - ago, shareFactor))
  const lastYear = getQuarterNumber(latest) === 4 ? getYear(latest) : getYear(latest) - 1
  const years = [3, 2, 1, 0].map((ago) => makeYearStatements(spec, key, lastYear - ago, shareFactor))
  const sumQuarters = (pick: (period: CompletePeriod) => number): number =>
    quarters.reduce((total, period) => total + pick(period), 0)
  const { equity, totalDebt, cash } = quarters[3]!
  const revenue = sumQuarters((period) => period.revenue)
  const netIncome = sumQuarters((period) => period.netIncome)
  const operatingIncome = sumQuarters((period) => period.operatingIncome)
  const marketCap = market.price(now) * world.equities.getSharesOutstanding(listed, now)
  const toRatio = (x: number, by: number, scale: number): number | null =>
    by > 0 ? Math.round(100 * scale * x / by) / 100 : null
  const { bookValue, eps } = world.equities.getPerShareFigures(listed, now)
  return {
    symbol: spec.symbol,
    currency: spec.currency,
    years,
    quarters,
    ratios: {
      pe: toRatio(market.price(now), eps, 1),
      pb: toRatio(market.price(now), bookValue, 1),
      ps: toRatio(marketCap, revenue, 1),
      evToEbit: toRatio(marketCap + totalDebt - cash, operatingIncome, 1),
      grossMarginPct: toRatio(sumQuarters((period) => period.grossProfit), revenue, 100),
      operatingMarginPct: toRatio(operatingIncome, revenue, 100),
      netMarginPct: toRatio(netIncome, revenue, 100),
      roePct: toRatio(netIncome, equity, 100),
      debtToEquity: toRatio(totalDebt, equity, 1),
      dividendYieldPct: Math.round(100 * dividendYieldPct(listed, now)) / 100
    }
  }
}
