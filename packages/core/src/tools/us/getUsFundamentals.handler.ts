import { Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { amount, type Rounding, roundToDecimals } from "../../engine/tool/rounding.ts"
import type { FinancialPeriod, Fundamentals } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getUsFundamentals } from "./getUsFundamentals.ts"

const toIncome = (period: FinancialPeriod) => ({
  revenue_usd: period.revenue,
  gross_profit_usd: period.grossProfit,
  operating_income_usd: period.operatingIncome,
  net_income_usd: period.netIncome,
  eps_usd: period.eps
})

const toBalance = (period: FinancialPeriod) => ({
  total_assets_usd: period.totalAssets,
  total_liabilities_usd: period.totalLiabilities,
  equity_usd: period.equity,
  cash_usd: period.cash,
  total_debt_usd: period.totalDebt
})

const toCashFlow = (period: FinancialPeriod) => ({
  operating_cash_flow_usd: period.operatingCashFlow,
  capital_expenditure_usd: period.capitalExpenditure,
  free_cash_flow_usd: period.freeCashFlow
})

type Figures = Readonly<Record<string, number | null>>

const toRows = <A extends Figures>(periods: ReadonlyArray<FinancialPeriod>, figures: (period: FinancialPeriod) => A) =>
  periods.map((period) => ({
    period: period.period,
    ended: new Date(period.endAt).toISOString().slice(0, 10),
    filed_at: formatInstant(period.reportedAt),
    ...figures(period)
  }))

const isYear = (quarters: ReadonlyArray<FinancialPeriod>): boolean =>
  quarters.length === 4 && quarters.every(({ endAt }, i) => i === 0 || endAt - quarters[i - 1]!.endAt < 110 * dayMs)

/**
 * Rounds a figure of each of four quarters, and returns the sum. Returns null if the figure of any quarter is unknown.
 */
const computeTrailing = (
  quarters: ReadonlyArray<FinancialPeriod>,
  figure: (period: FinancialPeriod) => number | null,
  rounding: Rounding
): number | null =>
  isYear(quarters)
    ? quarters.reduce<number | null>((sum, quarter) => {
      const value = figure(quarter)
      return sum === null || value === null ? null : sum + rounding(value)
    }, 0)
    : null

const makeNotes = ({ quarters, ratios, years }: Fundamentals): ReadonlyArray<string> => {
  const notes: Array<string> = []
  const rows = [...years, ...quarters].map((period) => ({
    ...toIncome(period),
    ...toBalance(period),
    ...toCashFlow(period)
  }))
  const unreportedFields = Object.keys(rows[0] ?? {}).filter((name) =>
    rows.some((row) => Object.entries(row).some(([key, value]) => key === name && value === null))
  )
  if (unreportedFields.length > 0) {
    notes.push(`Not reported in at least one period: ${unreportedFields.join(", ")}.`)
  }
  if (years.length < 4 || quarters.length < 4) {
    notes.push(`Only ${years.length} of 4 years and ${quarters.length} of 4 quarters are reported.`)
  }
  if (!isYear(quarters)) {
    notes.push("The trailing twelve months are null: there are no four consecutive reported quarters.")
  }
  if (Object.values(ratios).includes(null)) {
    notes.push("A ratio is null if its divisor is not reported or not above 0.")
  }
  return notes
}

export const handler = handlerOf(
  getUsFundamentals,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    const lookupOptions = { country: "US", otherTool: "get_kr_stock", nextRead: equities.fundamentals } as const
    return Effect.fnUntraced(function*({ symbol }) {
      const { notes, stock } = yield* findStock(equities, symbol, lookupOptions)
      const reading = yield* equities.fundamentals(stock.symbol)
      const { quarters, ratios, years } = reading.value
      const trailingTotal = (figure: (period: FinancialPeriod) => number | null) =>
        computeTrailing(quarters, figure, roundToDecimals(0))
      return {
        symbol: stock.symbol,
        name: stock.name,
        income: {
          years: toRows(years, toIncome),
          quarters: toRows(quarters, toIncome),
          ttm: {
            revenue_usd: trailingTotal(({ revenue }) => revenue),
            gross_profit_usd: trailingTotal(({ grossProfit }) => grossProfit),
            operating_income_usd: trailingTotal(({ operatingIncome }) => operatingIncome),
            net_income_usd: trailingTotal(({ netIncome }) => netIncome),
            eps_usd: computeTrailing(quarters, ({ eps }) => eps, amount)
          }
        },
        balance: { years: toRows(years, toBalance), quarters: toRows(quarters, toBalance) },
        cash_flow: {
          years: toRows(years, toCashFlow),
          quarters: toRows(quarters, toCashFlow),
          ttm: {
            operating_cash_flow_usd: trailingTotal(({ operatingCashFlow }) => operatingCashFlow),
            capital_expenditure_usd: trailingTotal(({ capitalExpenditure }) => capitalExpenditure),
            free_cash_flow_usd: trailingTotal(({ freeCashFlow }) => freeCashFlow)
          }
        },
        ratios: {
          pe: ratios.pe,
          pb: ratios.pb,
          ps: ratios.ps,
          ev_to_ebit: ratios.evToEbit,
          gross_margin_pct: ratios.grossMarginPct,
          operating_margin_pct: ratios.operatingMarginPct,
          net_margin_pct: ratios.netMarginPct,
          roe_pct: ratios.roePct,
          debt_to_equity: ratios.debtToEquity,
          dividend_yield_pct: ratios.dividendYieldPct
        },
        notes: [...notes, ...makeNotes(reading.value)],
        ...provenanceOf(reading)
      }
    })
  })
)
