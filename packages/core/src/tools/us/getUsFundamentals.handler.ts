import { Effect } from "effect"
import { findStock } from "../../analysis/equities/findStock.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { amount, decimals, type Rounding } from "../../engine/tool/rounding.ts"
import type { FinancialPeriod, Fundamentals } from "../../market/equity.ts"
import { EquityMarkets } from "../../market/EquityMarkets.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getUsFundamentals } from "./getUsFundamentals.ts"

const incomeOf = (period: FinancialPeriod) => ({
  revenue_usd: period.revenue,
  gross_profit_usd: period.grossProfit,
  operating_income_usd: period.operatingIncome,
  net_income_usd: period.netIncome,
  eps_usd: period.eps
})

const balanceOf = (period: FinancialPeriod) => ({
  total_assets_usd: period.totalAssets,
  total_liabilities_usd: period.totalLiabilities,
  equity_usd: period.equity,
  cash_usd: period.cash,
  total_debt_usd: period.totalDebt
})

const cashFlowOf = (period: FinancialPeriod) => ({
  operating_cash_flow_usd: period.operatingCashFlow,
  capital_expenditure_usd: period.capitalExpenditure,
  free_cash_flow_usd: period.freeCashFlow
})

type Figures = Readonly<Record<string, number | null>>

/** Returns rows of periods with some of their figures. */
const rowsOf = <A extends Figures>(periods: ReadonlyArray<FinancialPeriod>, figures: (period: FinancialPeriod) => A) =>
  periods.map((period) => ({
    period: period.period,
    ended: new Date(period.endAt).toISOString().slice(0, 10),
    filed_at: instant(period.reportedAt),
    ...figures(period)
  }))

/** Whether these are four consecutive quarters. */
const isYear = (quarters: ReadonlyArray<FinancialPeriod>): boolean =>
  quarters.length === 4 && quarters.every(({ endAt }, i) => i === 0 || endAt - quarters[i - 1]!.endAt < 110 * dayMs)

/** Returns the sum of a rounded figure over four quarters; null if one of them is unknown. */
const trailing = (
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

const notesOn = ({ quarters, ratios, years }: Fundamentals): ReadonlyArray<string> => {
  const notes: Array<string> = []
  const rows = [...years, ...quarters].map((period) => ({
    ...incomeOf(period),
    ...balanceOf(period),
    ...cashFlowOf(period)
  }))
  const untold = Object.keys(rows[0] ?? {}).filter((name) =>
    rows.some((row) => Object.entries(row).some(([key, value]) => key === name && value === null))
  )
  if (untold.length > 0) notes.push(`No source tells, in some period at least: ${untold.join(", ")}.`)
  if (years.length < 4 || quarters.length < 4) {
    notes.push(`Only ${years.length} of 4 years and ${quarters.length} of 4 quarters are told.`)
  }
  if (!isYear(quarters)) notes.push("The trailing twelve months are null: four quarters in a row are not told.")
  if (Object.values(ratios).includes(null)) {
    notes.push("A ratio is null where what it divides by is not above 0, or no source tells it.")
  }
  return notes
}

export const handler = handlerOf(
  getUsFundamentals,
  Effect.gen(function*() {
    const equities = yield* EquityMarkets
    const from = { country: "US", instead: "get_kr_stock", next: equities.fundamentals } as const
    return Effect.fnUntraced(function*({ symbol }) {
      const { notes, stock } = yield* findStock(equities, symbol, from)
      const read = yield* equities.fundamentals(stock.symbol)
      const { quarters, ratios, years } = read.value
      const total = (figure: (period: FinancialPeriod) => number | null) => trailing(quarters, figure, decimals(0))
      return {
        symbol: stock.symbol,
        name: stock.name,
        income: {
          years: rowsOf(years, incomeOf),
          quarters: rowsOf(quarters, incomeOf),
          ttm: {
            revenue_usd: total(({ revenue }) => revenue),
            gross_profit_usd: total(({ grossProfit }) => grossProfit),
            operating_income_usd: total(({ operatingIncome }) => operatingIncome),
            net_income_usd: total(({ netIncome }) => netIncome),
            eps_usd: trailing(quarters, ({ eps }) => eps, amount)
          }
        },
        balance: { years: rowsOf(years, balanceOf), quarters: rowsOf(quarters, balanceOf) },
        cash_flow: {
          years: rowsOf(years, cashFlowOf),
          quarters: rowsOf(quarters, cashFlowOf),
          ttm: {
            operating_cash_flow_usd: total(({ operatingCashFlow }) => operatingCashFlow),
            capital_expenditure_usd: total(({ capitalExpenditure }) => capitalExpenditure),
            free_cash_flow_usd: total(({ freeCashFlow }) => freeCashFlow)
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
        notes: [...notes, ...notesOn(read.value)],
        ...provenanceOf(read)
      }
    })
  })
)
