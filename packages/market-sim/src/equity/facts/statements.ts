/**
 * Quarterly statements of companies. Their parts add up.
 *
 * Quarterly earnings are the usual ones of `valuation.ts` with seasons and noise. Revenue depends on a sector's
 * margins, the balance sheet on book value. Amounts are in the stock's currency.
 */
import { dayMs, type FinancialPeriod, type Fundamentals } from "@tapeline/core/market"
import { derive, type Key, normal } from "../../kernel/random.ts"
import type { World } from "../../world.ts"
import type { Listed } from "../listed.ts"
import type { StockSpec } from "../stockSpec.ts"
import { bookValue, usualEps } from "../valuation.ts"
import {
  announcementOf,
  fiscalOf,
  lastReported,
  numberOf,
  type Quarter,
  quarterEnd,
  quarterName,
  yearOf
} from "./fiscal.ts"
import { quarterEps } from "./results.ts"

export const valuationKey = (world: World, spec: StockSpec): Key => world.key(`valuation ${spec.symbol}`)

/** The gross margin, the net margin, liabilities over equity, and the share of revenue invested, by sector. */
const shapes: Readonly<Record<string, readonly [gross: number, net: number, leverage: number, capex: number]>> = {
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
const usualShape = [0.3, 0.08, 1.4, 0.07] as const
const taxRate = 0.21

/** A period with all figures. */
type WholePeriod = { readonly [K in keyof FinancialPeriod]: NonNullable<FinancialPeriod[K]> }
type WholeFundamentals = Omit<Fundamentals, "quarters" | "years"> & {
  readonly years: ReadonlyArray<WholePeriod>
  readonly quarters: ReadonlyArray<WholePeriod>
}

/** The statements of one quarter. `shareFactor` is the number of today's shares for one share of 2026. */
const quarterStatements = (spec: StockSpec, key: Key, quarter: Quarter, shareFactor: number): WholePeriod => {
  const draws = derive(key, quarter, 45)
  const fiscal = fiscalOf(quarter)
  const [gross, net, leverage, capex] = shapes[spec.sector] ?? usualShape
  const own = (slot: number, spread: number): number =>
    Math.exp(spread * normal(key, slot) + spread / 5 * normal(draws, slot))
  const perShare = quarterEps(spec, key, quarter)
  const netIncome = Math.round(perShare * spec.shares)
  // A company at a loss still has the typical revenue of its sector.
  const earning = Math.abs(usualEps(spec, fiscal, key)) / 4 * (perShare < 0 ? 2 : 1) * spec.shares
  const revenue = Math.round(Math.max(earning, netIncome) / net * own(46, 0.2))
  const operatingIncome = Math.round(netIncome > 0 ? netIncome / (1 - taxRate) * own(47, 0.04) : netIncome * 0.9)
  const grossProfit = Math.round(
    Math.min(0.92 * revenue, Math.max(revenue * gross * own(48, 0.1), operatingIncome * 1.25))
  )
  const equity = Math.round(bookValue(spec, fiscal, key) * spec.shares)
  const totalLiabilities = Math.round(equity * leverage * own(49, 0.25))
  const capitalExpenditure = Math.round(revenue * capex * own(50, 0.3))
  const operatingCashFlow = Math.round(netIncome + revenue * (0.03 + 0.6 * capex) * own(51, 0.2))
  return {
    period: quarterName(quarter),
    endAt: quarterEnd(quarter),
    reportedAt: announcementOf(spec, key, quarter).time,
    revenue,
    grossProfit,
    operatingIncome,
    netIncome,
    eps: Math.round(10_000 * perShare / shareFactor) / 10_000,
    totalAssets: equity + totalLiabilities,
    totalLiabilities,
    equity,
    cash: Math.round((equity + totalLiabilities) * 0.08 * own(52, 0.4)),
    totalDebt: Math.round(totalLiabilities * Math.min(0.8, 0.4 * own(53, 0.3))),
    operatingCashFlow,
    capitalExpenditure,
    freeCashFlow: operatingCashFlow - capitalExpenditure
  }
}

/** The statements of a year: flows are summed over its quarters, the balance sheet is the last quarter's. */
const yearStatements = (spec: StockSpec, key: Key, year: number, shareFactor: number): WholePeriod => {
  const quarters = [0, 1, 2, 3].map((i) => quarterStatements(spec, key, 4 * year + i, shareFactor))
  const last = quarters[3]!
  const sum = (pick: (period: WholePeriod) => number): number =>
    quarters.reduce((total, period) => total + pick(period), 0)
  return {
    ...last,
    period: String(year),
    revenue: sum((period) => period.revenue),
    grossProfit: sum((period) => period.grossProfit),
    operatingIncome: sum((period) => period.operatingIncome),
    netIncome: sum((period) => period.netIncome),
    eps: Math.round(10_000 * sum((period) => period.eps)) / 10_000,
    operatingCashFlow: sum((period) => period.operatingCashFlow),
    capitalExpenditure: sum((period) => period.capitalExpenditure),
    freeCashFlow: sum((period) => period.freeCashFlow)
  }
}

/** The dividends of the year before a time over the price, in percent. */
export const dividendYieldPct = ({ market }: Listed, now: number): number => {
  const paid = market.actions
    .filter(({ time, payout }) => payout > 0 && time <= now && time > now - 365 * dayMs)
    .reduce(
      (sum, { time, payout }) =>
        sum + payout * market.price(time - 1) * market.shareFactor(time) / market.shareFactor(now),
      0
    )
  return 100 * paid / market.price(now)
}

/** The statements reported by `now`, and ratios at the current price. */
export const fundamentalsAt = (world: World, listed: Listed, now: number): WholeFundamentals => {
  const { spec, market } = listed
  const key = valuationKey(world, spec)
  const shareFactor = market.shareFactor(now)
  const latest = lastReported(spec, key, now)
  const quarters = [3, 2, 1, 0].map((ago) => quarterStatements(spec, key, latest - ago, shareFactor))
  const lastYear = numberOf(latest) === 4 ? yearOf(latest) : yearOf(latest) - 1
  const years = [3, 2, 1, 0].map((ago) => yearStatements(spec, key, lastYear - ago, shareFactor))
  const sum = (pick: (period: WholePeriod) => number): number =>
    quarters.reduce((total, period) => total + pick(period), 0)
  const { equity, totalDebt, cash } = quarters[3]!
  const revenue = sum((period) => period.revenue)
  const netIncome = sum((period) => period.netIncome)
  const operatingIncome = sum((period) => period.operatingIncome)
  const cap = market.price(now) * world.equities.sharesAt(listed, now)
  const over = (x: number, by: number, scale: number): number | null =>
    by > 0 ? Math.round(100 * scale * x / by) / 100 : null
  const { bookValue, eps } = world.equities.perShare(listed, now)
  return {
    symbol: spec.symbol,
    currency: spec.currency,
    years,
    quarters,
    ratios: {
      pe: over(market.price(now), eps, 1),
      pb: over(market.price(now), bookValue, 1),
      ps: over(cap, revenue, 1),
      evToEbit: over(cap + totalDebt - cash, operatingIncome, 1),
      grossMarginPct: over(sum((period) => period.grossProfit), revenue, 100),
      operatingMarginPct: over(operatingIncome, revenue, 100),
      netMarginPct: over(netIncome, revenue, 100),
      roePct: over(netIncome, equity, 100),
      debtToEquity: over(totalDebt, equity, 1),
      dividendYieldPct: Math.round(100 * dividendYieldPct(listed, now)) / 100
    }
  }
}
