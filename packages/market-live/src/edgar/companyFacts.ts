/** Decodes some accounting concepts of a company's `companyfacts` file, which has 5 to 15 MB. */
import { dayMs } from "@tapeline/core/market"
import { Schema } from "effect"
import { Name, Numeric } from "../source/index.ts"
import { FactDate } from "./filingTimes.ts"

/**
 * The accounting concepts of each figure. For each figure, the first concept with a value for the requested period is
 * used.
 */
export const flowConcepts = {
  revenue: [
    "Revenues",
    "RevenuesNetOfInterestExpense",
    "RevenueFromContractWithCustomerExcludingAssessedTax",
    "RevenueFromContractWithCustomerIncludingAssessedTax",
    "SalesRevenueNet"
  ],
  grossProfit: ["GrossProfit"],
  operatingIncome: ["OperatingIncomeLoss"],
  netIncome: ["NetIncomeLoss", "ProfitLoss"],
  operatingCashFlow: [
    "NetCashProvidedByUsedInOperatingActivities",
    "NetCashProvidedByUsedInOperatingActivitiesContinuingOperations"
  ],
  capitalExpenditure: ["PaymentsToAcquirePropertyPlantAndEquipment", "PaymentsToAcquireProductiveAssets"],
  eps: ["EarningsPerShareDiluted", "EarningsPerShareBasicAndDiluted"],
  shares: ["WeightedAverageNumberOfDilutedSharesOutstanding"]
} as const
export type Flow = keyof typeof flowConcepts

export const balanceConcepts = {
  totalAssets: ["Assets"],
  totalLiabilities: ["Liabilities"],
  equity: ["StockholdersEquity", "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"],
  cash: ["CashAndCashEquivalentsAtCarryingValue", "CashAndDueFromBanks", "Cash"],
  longTermDebt: ["LongTermDebt"],
  laterDebt: ["LongTermDebtNoncurrent"],
  debtOfYear: ["DebtCurrent"],
  longTermDebtOfYear: ["LongTermDebtCurrent"],
  shortTermDebt: ["ShortTermBorrowings", "CommercialPaper"]
} as const
export type Balance = keyof typeof balanceConcepts

const flowNames: ReadonlyArray<string> = Object.values(flowConcepts).flat()
const balanceNames: ReadonlyArray<string> = Object.values(balanceConcepts).flat()

const unitOf = (concept: string): string =>
  concept.startsWith("EarningsPerShare") ? "USD/shares" : concept.startsWith("WeightedAverage") ? "shares" : "USD"

const factFields = {
  end: FactDate,
  val: Numeric,
  accn: Name,
  /** The fiscal year of the filing, not of the figure, which may be a previous year's figure for comparison. */
  fy: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1980, maximum: 2200 }))),
  fp: Schema.NullOr(Schema.String.check(Schema.isPattern(/^(FY|Q[1-4]|H[12])$/u, { expected: "a fiscal period" }))),
  form: Name,
  filed: FactDate
}
const FlowFact = Schema.Struct({ ...factFields, start: FactDate })
const BalanceFact = Schema.Struct(factFields)

export type FlowFact = typeof FlowFact.Type
export type BalanceFact = typeof BalanceFact.Type

const factsByConcept = <A extends Schema.Top>(names: ReadonlyArray<string>, fact: A) =>
  Schema.Struct(
    Object.fromEntries(
      names.map((name) => [
        name,
        Schema.optionalKey(
          Schema.Struct({ units: Schema.Struct({ [unitOf(name)]: Schema.optionalKey(Schema.Array(fact)) }) })
        )
      ])
    )
  )

export const CompanyFacts = Schema.Struct({
  /**
   * The reported values by accounting concept. An accounting concept is missing if the company uses another accounting
   * standard or currency.
   */
  flows: factsByConcept(flowNames, FlowFact),
  balances: factsByConcept(balanceNames, BalanceFact)
})
export type CompanyFacts = typeof CompanyFacts.Type

/**
 * The maximum age of the figures that are parsed. Statements cover four years, and older figures are needed for
 * comparison.
 */
const factsLookbackMs = 7 * 366 * dayMs

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isOld = (end: unknown, since: string): boolean =>
  typeof end === "string" && /^\d{4}-\d\d-\d\d$/u.test(end) && end < since

/**
 * Removes rows of periods that ended before `since`. Rows without a valid date are kept, so that the schema rejects
 * them.
 */
const dropOldRows = (rows: unknown, since: string): unknown =>
  Array.isArray(rows) ? rows.filter((row: unknown) => !isObject(row) || !isOld(row["end"], since)) : rows

const pickConcepts = (facts: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>, since: string): object =>
  Object.fromEntries(
    names.flatMap((name) => {
      const concept = facts[name]
      if (concept === undefined) return []
      const units = isObject(concept) ? concept["units"] : undefined
      const unit = unitOf(name)
      if (!isObject(units)) return [[name, { units }]]
      return [[name, { units: unit in units ? { [unit]: dropOldRows(units[unit], since) } : {} }]]
    })
  )

/**
 * Returns the supported accounting concepts of recent years from a `companyfacts` file, or undefined for any other
 * text.
 */
export const extractFacts = (now: number) => (text: string): unknown => {
  try {
    const file: unknown = JSON.parse(text)
    if (!isObject(file) || !isObject(file["facts"])) return undefined
    const stated = file["facts"]["us-gaap"] ?? {}
    if (!isObject(stated)) return undefined
    const since = new Date(now - factsLookbackMs).toISOString().slice(0, 10)
    return { flows: pickConcepts(stated, flowNames, since), balances: pickConcepts(stated, balanceNames, since) }
  } catch {
    return undefined
  }
}
