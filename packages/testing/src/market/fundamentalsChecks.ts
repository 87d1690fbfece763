import { assert } from "@effect/vitest"
import type { FinancialPeriod, Fundamentals, InvestorFlow } from "@tapeline/core/market"
import { assertAscending, assertFiniteNumbers } from "./marketSuite.ts"

/** Checks that two figures are nearly equal. Rounding and minority interests cause differences of about 1 %. */
const assertNear = (a: number, b: number, tolerance: number): void =>
  assert.isAtMost(Math.abs(a - b), tolerance * Math.max(Math.abs(a), Math.abs(b), 1))

/** Checks that a financial period was reported by `now`, and that the figures of the period agree. */
const assertPeriod = (period: FinancialPeriod, now: number): void => {
  assertFiniteNumbers(period)
  assert.match(period.period, /^\d{4}(Q[1-4])?$/u)
  assert.isAtMost(period.reportedAt, now)
  assert.isBelow(period.endAt, period.reportedAt)
  const { capitalExpenditure, equity, freeCashFlow, grossProfit, operatingCashFlow, revenue } = period
  const { netIncome, totalAssets, totalLiabilities } = period
  assert.isTrue(revenue !== null || netIncome !== null || totalAssets !== null, `${period.period} has no figures`)
  for (const amount of [revenue, period.cash, period.totalDebt, totalLiabilities]) {
    if (amount !== null) assert.isAtLeast(amount, 0)
  }
  if (totalAssets !== null) assert.isAbove(totalAssets, 0)
  // A missing figure is null, because each reported figure of an active company differs from 0.
  const reportedFigures = [
    revenue,
    grossProfit,
    period.operatingIncome,
    netIncome,
    period.eps,
    totalLiabilities,
    equity
  ]
  for (const figure of [...reportedFigures, operatingCashFlow]) assert.notStrictEqual(figure, 0, period.period)
  if (totalAssets !== null && totalLiabilities !== null && equity !== null) {
    assertNear(totalAssets, totalLiabilities + equity, 0.1)
  }
  if (grossProfit !== null && revenue !== null) assert.isAtMost(grossProfit, revenue)
  if (freeCashFlow !== null && operatingCashFlow !== null && capitalExpenditure !== null) {
    assertNear(freeCashFlow, operatingCashFlow - capitalExpenditure, 0.01)
  }
}

const sumQuarters = (
  { quarters }: Fundamentals,
  getFigure: (period: FinancialPeriod) => number | null
): number | null => {
  const figures = quarters.map(getFigure)
  return figures.length === 4 && figures.every((figure) => figure !== null)
    ? figures.reduce((sum, figure) => sum + figure, 0)
    : null
}

const assertMargin = (pct: number | null, part: number | null, whole: number | null): void => {
  if (pct !== null && part !== null && whole !== null && whole > 0) assert.closeTo(pct, 100 * part / whole, 0.5)
}

export const assertFundamentals = (fundamentals: Fundamentals, now: number): void => {
  assertFiniteNumbers(fundamentals)
  const { quarters, ratios, years } = fundamentals
  for (const periods of [years, quarters]) {
    assert.isAtMost(periods.length, 4)
    assertAscending(periods.map(({ endAt }) => endAt))
    for (const period of periods) assertPeriod(period, now)
  }
  assert.isAbove(years.length + quarters.length, 0)
  for (const ratio of [ratios.pe, ratios.pb, ratios.ps]) if (ratio !== null) assert.isAbove(ratio, 0)
  const revenue = sumQuarters(fundamentals, (period) => period.revenue)
  const netIncome = sumQuarters(fundamentals, (period) => period.netIncome)
  assertMargin(ratios.netMarginPct, netIncome, revenue)
  assertMargin(ratios.grossMarginPct, sumQuarters(fundamentals, (period) => period.grossProfit), revenue)
  assertMargin(ratios.operatingMarginPct, sumQuarters(fundamentals, (period) => period.operatingIncome), revenue)
  // Some sources divide by the average equity of the year, but the sign must match, and the ratio must not be 0.
  if (ratios.roePct !== null && netIncome !== null && netIncome !== 0) {
    assert.strictEqual(Math.sign(ratios.roePct), Math.sign(netIncome))
  }
}

/**
 * Checks that the net purchases of all four kinds of investors add up to about 0. Each of the four figures is rounded
 * to a million won.
 */
export const assertInvestorFlow = ({ foreignKrw, institutionKrw, otherKrw, retailKrw }: InvestorFlow): void => {
  const netPurchases = [foreignKrw, institutionKrw, otherKrw, retailKrw]
  const reported = netPurchases.filter((kind) => kind !== null)
  assert.isTrue(reported.some((kind) => kind !== 0), "a session without purchases")
  if (reported.length === netPurchases.length) {
    assert.isAtMost(Math.abs(reported.reduce((sum, kind) => sum + kind, 0)), 4e6)
  }
}
