import { dayMs, type FinancialPeriod, type Fundamentals } from "@tapeline/core/market"

type Ratios = Fundamentals["ratios"]
type Figure = (period: FinancialPeriod) => number | null

/** Two decimals of a quotient; null where a part is not told, or what it divides by is not above 0. */
const over = (part: number | null, by: number | null, scale = 1): number | null =>
  part === null || by === null || by <= 0 ? null : Math.round(100 * scale * part / by) / 100

/** A ratio to a price, which is none where there is no gain to pay for. */
const multiple = (part: number | null, by: number | null): number | null => {
  const ratio = over(part, by)
  return ratio === null || ratio <= 0 ? null : ratio
}

/** Over the last four quarters; null unless four in a row tell it. */
const trailing = (quarters: ReadonlyArray<FinancialPeriod>, figure: Figure): number | null => {
  const isYear = quarters.length === 4 &&
    quarters.every(({ endAt }, i) => i === 0 || endAt - quarters[i - 1]!.endAt < 130 * dayMs)
  return isYear
    ? quarters.reduce<number | null>((sum, quarter) => {
      const value = figure(quarter)
      return sum === null || value === null ? null : sum + value
    }, 0)
    : null
}

/** What statements tell without a price; ratios that need one are null. */
export const ratiosOf = (quarters: ReadonlyArray<FinancialPeriod>): Ratios => {
  const revenue = trailing(quarters, (period) => period.revenue)
  const last = quarters.at(-1)
  return {
    pe: null,
    pb: null,
    ps: null,
    evToEbit: null,
    grossMarginPct: over(trailing(quarters, (period) => period.grossProfit), revenue, 100),
    operatingMarginPct: over(trailing(quarters, (period) => period.operatingIncome), revenue, 100),
    netMarginPct: over(trailing(quarters, (period) => period.netIncome), revenue, 100),
    roePct: over(trailing(quarters, (period) => period.netIncome), last?.equity ?? null, 100),
    debtToEquity: over(last?.totalDebt ?? null, last?.equity ?? null),
    dividendYieldPct: null
  }
}

export interface PriceNow {
  readonly price: number
  readonly sharesOutstanding: number | null
  /** Dividends of a year over the price, percent; null where nobody tells. */
  readonly dividendYieldPct?: number | null
}

/** The same statements with the ratios to a price, which filings do not know. */
export const withPrice = (
  fundamentals: Fundamentals,
  { dividendYieldPct = null, price, sharesOutstanding }: PriceNow
): Fundamentals => {
  const { quarters, ratios } = fundamentals
  const last = quarters.at(-1)
  const cap = sharesOutstanding === null ? null : price * sharesOutstanding
  const [debt, cash] = [last?.totalDebt ?? null, last?.cash ?? null]
  const value = cap === null || debt === null || cash === null ? null : cap + debt - cash
  return {
    ...fundamentals,
    ratios: {
      ...ratios,
      // Earnings a share of before a split are in shares of then: those of the whole company are in none.
      pe: multiple(cap, trailing(quarters, (period) => period.netIncome)),
      pb: multiple(cap, last?.equity ?? null),
      ps: multiple(cap, trailing(quarters, (period) => period.revenue)),
      evToEbit: over(value, trailing(quarters, (period) => period.operatingIncome)),
      dividendYieldPct
    }
  }
}
