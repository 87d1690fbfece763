import { dayMs, type FinancialPeriod, type Fundamentals } from "@tapeline/core/market"

type Ratios = Fundamentals["ratios"]
type Figure = (period: FinancialPeriod) => number | null

/**
 * Returns a quotient, times `scale`, with two decimals, or null if a value is unknown or the divisor is not positive.
 */
const quotient = (dividend: number | null, divisor: number | null, scale = 1): number | null =>
  dividend === null || divisor === null || divisor <= 0 ? null : Math.round(100 * scale * dividend / divisor) / 100

/** Returns a price ratio, or null if the ratio is not positive, for example after a loss. */
const priceMultiple = (dividend: number | null, divisor: number | null): number | null => {
  const ratio = quotient(dividend, divisor)
  return ratio === null || ratio <= 0 ? null : ratio
}

/** Returns the sum of the last four quarters, or null unless four consecutive quarters report the figure. */
const trailingYearSum = (quarters: ReadonlyArray<FinancialPeriod>, figure: Figure): number | null => {
  const isYear = quarters.length === 4 &&
    quarters.every(({ endAt }, i) => i === 0 || endAt - quarters[i - 1]!.endAt < 130 * dayMs)
  return isYear
    ? quarters.reduce<number | null>((sum, quarter) => {
      const value = figure(quarter)
      return sum === null || value === null ? null : sum + value
    }, 0)
    : null
}

/** Returns the ratios that need no price, with null for all other ratios. */
export const ratiosOf = (quarters: ReadonlyArray<FinancialPeriod>): Ratios => {
  const revenue = trailingYearSum(quarters, (period) => period.revenue)
  const last = quarters.at(-1)
  return {
    pe: null,
    pb: null,
    ps: null,
    evToEbit: null,
    grossMarginPct: quotient(trailingYearSum(quarters, (period) => period.grossProfit), revenue, 100),
    operatingMarginPct: quotient(trailingYearSum(quarters, (period) => period.operatingIncome), revenue, 100),
    netMarginPct: quotient(trailingYearSum(quarters, (period) => period.netIncome), revenue, 100),
    roePct: quotient(trailingYearSum(quarters, (period) => period.netIncome), last?.equity ?? null, 100),
    debtToEquity: quotient(last?.totalDebt ?? null, last?.equity ?? null),
    dividendYieldPct: null
  }
}

export interface CurrentPrice {
  readonly price: number
  readonly sharesOutstanding: number | null
  /** The dividends of a year divided by the price, in percent, or null if not reported. */
  readonly dividendYieldPct?: number | null
}

/** Adds the ratios that need a price to the fundamentals. */
export const withPrice = (
  fundamentals: Fundamentals,
  { dividendYieldPct = null, price, sharesOutstanding }: CurrentPrice
): Fundamentals => {
  const { quarters, ratios } = fundamentals
  const last = quarters.at(-1)
  const marketCap = sharesOutstanding === null ? null : price * sharesOutstanding
  const [debt, cash] = [last?.totalDebt ?? null, last?.cash ?? null]
  const enterpriseValue = marketCap === null || debt === null || cash === null ? null : marketCap + debt - cash
  return {
    ...fundamentals,
    ratios: {
      ...ratios,
      // Earnings per share before a share split count old shares, so the price/earnings ratio uses total net income.
      pe: priceMultiple(marketCap, trailingYearSum(quarters, (period) => period.netIncome)),
      pb: priceMultiple(marketCap, last?.equity ?? null),
      ps: priceMultiple(marketCap, trailingYearSum(quarters, (period) => period.revenue)),
      evToEbit: quotient(enterpriseValue, trailingYearSum(quarters, (period) => period.operatingIncome)),
      dividendYieldPct
    }
  }
}
