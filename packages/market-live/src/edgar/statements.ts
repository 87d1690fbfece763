/** Derives financial statements by fiscal year from filed figures. A restated figure replaces the earlier figure. */
import { dayMs, type FinancialPeriod } from "@tapeline/core/market"
import {
  type Balance,
  balanceConcepts,
  type BalanceFact,
  type CompanyFacts,
  type Flow,
  flowConcepts,
  type FlowFact
} from "./companyFacts.ts"
import { endOfNewYorkDay } from "./filingTimes.ts"

/** The forms of annual and quarterly reports, because other forms (8-K, proxies) repeat figures. */
const reports = /^(10-K|10-KT|10-Q|20-F|40-F)(\/A)?$/u

/** Returns whether a duration is one quarter of a year. A quarter of a retailer can have 12 to 17 weeks. */
const isQuarter = (ms: number): boolean => ms > 75 * dayMs && ms < 125 * dayMs
const isYear = (ms: number): boolean => ms > 340 * dayMs && ms < 390 * dayMs
/** The maximum difference between the start dates that two filings report for the same year. */
const maxStartDifferenceMs = 4 * dayMs

interface Period {
  readonly end: number
  readonly fy: number
  readonly fp: string
  readonly reportedAt: number
}

export type FilingTimeOf = (fact: BalanceFact) => number

type Rows<A> = Readonly<
  Record<string, { readonly units: Readonly<Record<string, ReadonlyArray<A> | undefined>> } | undefined>
>

const rowsOf = <A extends BalanceFact>(stated: Rows<A>, concept: string): ReadonlyArray<A> =>
  Object.values(stated[concept]?.units ?? {}).flatMap((rows) => rows ?? []).filter(({ form }) => reports.test(form))

/**
 * Returns the periods for which filings were made, oldest first. A filing's period is the last period that the filing
 * contains.
 */
const periodsOf = (facts: CompanyFacts, filedAt: FilingTimeOf): ReadonlyArray<Period> => {
  const flows: Rows<FlowFact> = facts.flows
  const newest = new Map<string, FlowFact>()
  for (const concept of Object.keys(flows)) {
    for (const fact of rowsOf(flows, concept)) {
      const known = newest.get(fact.accn)
      if (known === undefined || fact.end > known.end) newest.set(fact.accn, fact)
    }
  }
  const periods = new Map<number, Period>()
  for (const fact of newest.values()) {
    const { end, form, fp, fy } = fact
    if (fy === null || fp === null) continue
    const reportedAt = filedAt(fact)
    const known = periods.get(end)
    // An amendment covers the same period and is published later, so the original filing is kept.
    if (known !== undefined && known.reportedAt <= reportedAt) continue
    periods.set(end, { end, fy, fp: form.startsWith("10-Q") ? fp : "FY", reportedAt })
  }
  return [...periods.values()].filter(({ fp }) => /^(FY|Q[1-3])$/u.test(fp)).toSorted((a, b) => a.end - b.end)
}

const newestOf = <A extends BalanceFact>(facts: ReadonlyArray<A>): A | undefined =>
  facts.reduce<A | undefined>((a, b) => a === undefined || b.filed > a.filed ? b : a, undefined)

class Figures {
  readonly #flows: Rows<FlowFact>
  readonly #balances: Rows<BalanceFact>

  constructor(facts: CompanyFacts) {
    this.#flows = facts.flows
    this.#balances = facts.balances
  }

  balance(name: Balance, end: number): number | null {
    for (const concept of balanceConcepts[name]) {
      const found = newestOf(rowsOf(this.#balances, concept).filter((fact) => fact.end === end))
      if (found !== undefined) return found.val
    }
    return null
  }

  year(name: Flow, end: number): number | null {
    return this.#firstConceptValue(
      name,
      (facts) => newestOf(facts.filter((fact) => fact.end === end && isYear(end - fact.start)))?.val
    )
  }

  /** Returns a quarter's figure, which is reported directly or is the difference of two year-to-date figures. */
  quarter(name: Flow, end: number): number | null {
    return this.#firstConceptValue(name, (facts) => {
      const ending = facts.filter((fact) => fact.end === end)
      const quarterFact = newestOf(ending.filter(({ start }) => isQuarter(end - start)))
      if (quarterFact !== undefined) return quarterFact.val
      const yearToDate = newestOf(ending)
      const previousYearToDate = this.#yearToPreviousQuarter(facts, yearToDate)
      if (yearToDate === undefined || previousYearToDate === undefined) return undefined
      return name === "eps" && !this.#hasSameShareCount(yearToDate, previousYearToDate)
        ? undefined
        : yearToDate.val - previousYearToDate.val
    })
  }

  #yearToPreviousQuarter(facts: ReadonlyArray<FlowFact>, whole: FlowFact | undefined): FlowFact | undefined {
    return whole === undefined ? undefined : newestOf(
      facts.filter(({ end, start }) =>
        Math.abs(start - whole.start) <= maxStartDifferenceMs && isQuarter(whole.end - end)
      )
    )
  }

  /**
   * Returns whether the earnings per share of nine months can be subtracted from those of the year. If shares were
   * split during the year, earnings per share cannot be subtracted.
   */
  #hasSameShareCount(whole: FlowFact, before: FlowFact): boolean {
    const sharesOfFact = (of: FlowFact): number | undefined =>
      newestOf(
        rowsOf(this.#flows, flowConcepts.shares[0]).filter(({ end, filed, start }) =>
          end === of.end && filed <= of.filed && Math.abs(start - of.start) <= maxStartDifferenceMs
        )
      )?.val
    const [currentShares, previousShares] = [sharesOfFact(whole), sharesOfFact(before)]
    return currentShares !== undefined && previousShares !== undefined && currentShares > 0 &&
      Math.abs(previousShares / currentShares - 1) < 0.15
  }

  #firstConceptValue(name: Flow, find: (facts: ReadonlyArray<FlowFact>) => number | undefined): number | null {
    for (const concept of flowConcepts[name]) {
      const found = find(rowsOf(this.#flows, concept))
      if (found !== undefined) return found
    }
    return null
  }
}

/** Returns the total debt, or null if the company reports only a part of its debt. */
const totalDebtOf = (figures: Figures, end: number): number | null => {
  const long = figures.balance("longTermDebt", end)
  const short = figures.balance("shortTermDebt", end) ?? 0
  if (long !== null) return long + short
  const later = figures.balance("laterDebt", end)
  const current = figures.balance("debtOfYear", end)
  if (later !== null && current !== null) return later + current
  const due = figures.balance("longTermDebtOfYear", end)
  return later === null || due === null ? null : later + due + short
}

const toStatement = (
  figures: Figures,
  { end, reportedAt }: Period,
  period: string,
  flow: (name: Flow) => number | null
): FinancialPeriod => {
  const operatingCashFlow = flow("operatingCashFlow")
  const capitalExpenditure = flow("capitalExpenditure")
  const eps = flow("eps")
  return {
    period,
    endAt: end + dayMs - 1,
    reportedAt,
    revenue: flow("revenue"),
    grossProfit: flow("grossProfit"),
    operatingIncome: flow("operatingIncome"),
    netIncome: flow("netIncome"),
    // Earnings per share that are the difference of two decimals have binary rounding errors.
    eps: eps === null ? null : Math.round(10_000 * eps) / 10_000,
    totalAssets: figures.balance("totalAssets", end),
    totalLiabilities: figures.balance("totalLiabilities", end),
    equity: figures.balance("equity", end),
    cash: figures.balance("cash", end),
    totalDebt: totalDebtOf(figures, end),
    operatingCashFlow,
    capitalExpenditure,
    freeCashFlow: operatingCashFlow === null || capitalExpenditure === null
      ? null
      : operatingCashFlow - capitalExpenditure
  }
}

const hasFigures = ({ netIncome, revenue, totalAssets }: FinancialPeriod): boolean =>
  revenue !== null || netIncome !== null || totalAssets !== null

/** Derives the last four annual and the last four quarterly statements that were reported by `now`, oldest first. */
export const deriveStatements = (
  facts: CompanyFacts,
  acceptedAt: (accession: string) => number | undefined,
  now: number
): { readonly years: ReadonlyArray<FinancialPeriod>; readonly quarters: ReadonlyArray<FinancialPeriod> } => {
  // If only the filing date is known, the end of the day is used, but no later time than `now`.
  const filedAt: FilingTimeOf = ({ accn, filed }) =>
    acceptedAt(accn) ?? (filed > now ? endOfNewYorkDay(filed) : Math.min(endOfNewYorkDay(filed), now))
  const periods = periodsOf(facts, filedAt).filter(({ reportedAt }) => reportedAt <= now)
  const figures = new Figures(facts)
  const years = periods.filter(({ fp }) => fp === "FY").map((period) =>
    toStatement(figures, period, String(period.fy), (name) => figures.year(name, period.end))
  )
  const quarters = periods.map((period) =>
    toStatement(
      figures,
      period,
      `${period.fy}${period.fp === "FY" ? "Q4" : period.fp}`,
      (name) => figures.quarter(name, period.end)
    )
  )
  return { years: years.filter(hasFigures).slice(-4), quarters: quarters.filter(hasFigures).slice(-4) }
}
