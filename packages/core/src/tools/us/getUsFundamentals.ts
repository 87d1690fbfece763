import { Schema } from "effect"
import { Instant, notes, nullableQuantity } from "../../engine/tool/result.ts"
import { percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { SymbolArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

/** Rounds to whole dollars, so that sums of trillions are exact. */
const wholeUsd = roundToDecimals(0)

const incomeFields = {
  revenue_usd: nullableQuantity("USD", wholeUsd),
  gross_profit_usd: nullableQuantity("USD", wholeUsd),
  operating_income_usd: nullableQuantity("USD", wholeUsd),
  net_income_usd: nullableQuantity("USD", wholeUsd),
  eps_usd: nullableQuantity("Diluted earnings per share, adjusted for splits, USD")
}
const balanceFields = {
  total_assets_usd: nullableQuantity("USD", wholeUsd),
  total_liabilities_usd: nullableQuantity("USD", wholeUsd),
  equity_usd: nullableQuantity("USD", wholeUsd),
  cash_usd: nullableQuantity("USD", wholeUsd),
  total_debt_usd: nullableQuantity("USD", wholeUsd)
}
const cashFlowFields = {
  operating_cash_flow_usd: nullableQuantity("USD", wholeUsd),
  capital_expenditure_usd: nullableQuantity("Spending as a positive number, USD", wholeUsd),
  free_cash_flow_usd: nullableQuantity("Operating cash flow minus capital expenditure, USD", wholeUsd)
}

const periods = <Fields extends Schema.Struct.Fields>(fields: Fields) => {
  const Period = Schema.Array(Schema.Struct({
    period: Schema.String.annotate({ description: "2025 or 2025Q4" }),
    ended: Schema.String.annotate({ description: "Last day of the period" }),
    filed_at: Instant.annotate({ description: "Time of the report; the values were not public before" }),
    ...fields
  }))
  return {
    years: Period.annotate({ description: "The last four fiscal years, oldest first" }),
    quarters: Period.annotate({ description: "The last four quarters, oldest first" })
  }
}

const ttm = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotate({
    description: "Trailing twelve months: the sum of the four quarters; null if a quarter is null"
  })

export const getUsFundamentals = specify({
  name: "get_us_fundamentals",
  area: "us",
  scope: "read:market",
  credits: 5,
  summary: "A US company's income, balance, cash flow by year and quarter, ratios. Estimates: get_us_earnings.",
  parameters: Schema.Struct({ symbol: SymbolArgument }),
  result: Schema.Struct({
    symbol: Schema.String.annotate({ description: "Ticker" }),
    name: Schema.String.annotate({ description: "Company" }),
    income: Schema.Struct({ ...periods(incomeFields), ttm: ttm(incomeFields) }).annotate({
      description: "Income statements"
    }),
    balance: Schema.Struct(periods(balanceFields)).annotate({ description: "Balance sheets at each period's end" }),
    cash_flow: Schema.Struct({ ...periods(cashFlowFields), ttm: ttm(cashFlowFields) }),
    ratios: Schema.Struct({
      pe: nullableQuantity("Price over earnings per share"),
      pb: nullableQuantity("Price over book value"),
      ps: nullableQuantity("Capitalisation over revenue"),
      ev_to_ebit: nullableQuantity("(capitalisation + debt - cash) / operating income"),
      gross_margin_pct: nullableQuantity("Percent", percent),
      operating_margin_pct: nullableQuantity("Percent", percent),
      net_margin_pct: nullableQuantity("Percent", percent),
      roe_pct: nullableQuantity("Net income over equity, percent", percent),
      debt_to_equity: nullableQuantity("Debt over equity"),
      dividend_yield_pct: nullableQuantity("Dividends of twelve months over the price, percent", percent)
    }).annotate({
      description:
        "At the current price, over the trailing twelve months; null if a denominator is not reported or not above 0"
    }),
    notes,
    ...provenance
  }),
  example: { symbol: "AAPL" }
})
