/**
 * Builds a company's figures in EDGAR's format. The figures are grouped by accounting concept, and each filing that
 * states a figure has its own entry.
 */
import { dayMs, type FinancialPeriod, type Fundamentals } from "@tapeline/core/market"

export interface Report {
  readonly period: FinancialPeriod
  readonly accession: string
  readonly form: "10-K" | "10-Q" | "10-Q/A"
  readonly filed: string
}

type Flow =
  | "revenue"
  | "grossProfit"
  | "operatingIncome"
  | "netIncome"
  | "operatingCashFlow"
  | "capitalExpenditure"
  | "eps"
const income = ["revenue", "grossProfit", "operatingIncome", "netIncome", "eps"] as const
const cash = ["operatingCashFlow", "capitalExpenditure"] as const
const balances = {
  Assets: "totalAssets",
  Liabilities: "totalLiabilities",
  StockholdersEquity: "equity",
  CashAndCashEquivalentsAtCarryingValue: "cash",
  LongTermDebt: "totalDebt"
} as const
const concepts: Readonly<Record<Flow, string>> = {
  revenue: "Revenues",
  grossProfit: "GrossProfit",
  operatingIncome: "OperatingIncomeLoss",
  netIncome: "NetIncomeLoss",
  operatingCashFlow: "NetCashProvidedByUsedInOperatingActivities",
  capitalExpenditure: "PaymentsToAcquirePropertyPlantAndEquipment",
  eps: "EarningsPerShareDiluted"
}

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
const yearOf = ({ period }: FinancialPeriod): number => Number(period.slice(0, 4))
const quarterOf = ({ period }: FinancialPeriod): number => Number(period.slice(5))
const monthsBack = (end: number, months: number): string => {
  const date = new Date(end)
  return dateOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months + 1, 1))
}

const factOf = ({ accession, filed, form, period }: Report, val: number, start?: string) => ({
  ...(start === undefined ? {} : { start }),
  end: dateOf(period.endAt),
  val,
  accn: accession,
  fy: yearOf(period),
  fp: period.period.length > 4 && form !== "10-K" ? period.period.slice(4) : "FY",
  form,
  filed
})
type Fact = ReturnType<typeof factOf>

/**
 * Returns the sum of a year's quarters up to the given quarter. If a quarter is missing, the function subtracts the
 * later quarters from the full year.
 */
const yearToDate = ({ quarters, years }: Fundamentals, quarter: FinancialPeriod, flow: Flow): number | undefined => {
  const nth = quarterOf(quarter)
  const quartersOfYear = quarters.filter((one) => yearOf(one) === yearOf(quarter))
  const sum = (some: ReadonlyArray<FinancialPeriod>) => some.reduce((total, one) => total + (one[flow] ?? 0), 0)
  const before = quartersOfYear.filter((one) => quarterOf(one) <= nth)
  if (before.length === nth) return sum(before)
  const yearFigures = years.find((one) => yearOf(one) === yearOf(quarter))
  const after = quartersOfYear.filter((one) => quarterOf(one) > nth)
  return yearFigures === undefined || after.length !== 4 - nth ? undefined : (yearFigures[flow] ?? 0) - sum(after)
}

/**
 * Returns the facts that a quarterly report states. A fourth quarter has no facts, because the annual report covers it.
 */
const quarterFacts = (fundamentals: Fundamentals, report: Report, flow: Flow): ReadonlyArray<Fact> => {
  const { period } = report
  if (quarterOf(period) === 4) return []
  const yearToDateValue = yearToDate(fundamentals, period, flow)
  const isSeparateFact = income.some((one) => one === flow) || quarterOf(period) === 1
  return [
    ...(isSeparateFact ? [factOf(report, period[flow]!, monthsBack(period.endAt, 3))] : []),
    ...(yearToDateValue === undefined || quarterOf(period) === 1
      ? []
      : [factOf(report, yearToDateValue, monthsBack(period.endAt, 3 * quarterOf(period)))])
  ]
}

/**
 * Returns the year-to-date value of the quarters before the oldest known quarter, which the newest quarterly report
 * contains.
 */
const earlierFacts = (fundamentals: Fundamentals, reports: ReadonlyArray<Report>, flow: Flow): ReadonlyArray<Fact> => {
  const oldest = fundamentals.quarters[0]
  const newest = reports.findLast(({ form }) => form === "10-Q")
  const yearValue = oldest === undefined ? undefined : yearToDate(fundamentals, oldest, flow)
  if (oldest === undefined || newest === undefined || yearValue === undefined || quarterOf(oldest) === 1) return []
  const nth = quarterOf(oldest) - 1
  const end = Date.parse(monthsBack(oldest.endAt, 3)) - 1
  return [{
    ...factOf(newest, yearValue - oldest[flow]!, monthsBack(end, 3 * nth)),
    end: dateOf(end)
  }]
}

const flowFacts = (fundamentals: Fundamentals, reports: ReadonlyArray<Report>, flow: Flow): ReadonlyArray<Fact> => [
  ...earlierFacts(fundamentals, reports, flow),
  ...reports.flatMap((report) =>
    report.form === "10-K"
      ? [factOf(report, report.period[flow]!, monthsBack(report.period.endAt, 12))]
      : quarterFacts(fundamentals, report, flow)
  )
]

/** Makes the figures of second quarters wrong, and adds amendments 30 days later with the correct figures. */
const withMisstatements = (facts: ReadonlyArray<Fact>): ReadonlyArray<Fact> =>
  facts.flatMap((fact) =>
    fact.form === "10-Q" && fact.fp === "Q2"
      ? [
        { ...fact, val: fact.val * 3 },
        {
          ...fact,
          form: "10-Q/A",
          accn: `${fact.accn.slice(0, -6)}9${fact.accn.slice(-5)}`,
          filed: dateOf(Date.parse(fact.filed) + 30 * dayMs)
        }
      ]
      : [fact]
  )

export const companyFacts = (fundamentals: Fundamentals, reports: ReadonlyArray<Report>, cik: number, name: string) => {
  const flows = [...income, ...cash].map((flow) => {
    const facts = flowFacts(fundamentals, reports, flow)
    const unit = flow === "eps" ? "USD/shares" : "USD"
    return [concepts[flow], {
      label: flow,
      units: { [unit]: flow === "revenue" ? withMisstatements(facts) : facts }
    }] as const
  })
  const shares = flowFacts(fundamentals, reports, "revenue").map((fact) => ({ ...fact, val: 1_000_000_000 }))
  const ends = Object.entries(balances).map(([concept, figure]) =>
    [concept, { units: { USD: reports.map((report) => factOf(report, report.period[figure]!)) } }] as const
  )
  return {
    cik,
    entityName: name,
    facts: {
      dei: { EntityPublicFloat: { units: { USD: [] } } },
      "us-gaap": Object.fromEntries([
        ...flows,
        ["WeightedAverageNumberOfDilutedSharesOutstanding", { units: { shares } }],
        ...ends,
        ["Goodwill", { units: { USD: [{ end: "2010-12-31", val: null }] } }]
      ])
    }
  }
}
