// Tests filings that the simulated market does not have: fiscal years that end in January, restatements, amendments and
// splits.
import { assert, describe, it } from "@effect/vitest"
import { dayMs } from "@tapeline/core/market"
import { Result } from "effect"
import { CompanyFacts, extractFacts } from "../../src/edgar/companyFacts.ts"
import { inferAcceptanceTimes } from "../../src/edgar/filingTimes.ts"
import { Form4, parseForm4, toInsiderTrades } from "../../src/edgar/insiderTrades.ts"
import { deriveStatements } from "../../src/edgar/statements.ts"
import { makeXmlParser } from "../../src/index.ts"
import { readerOf } from "../../src/source/responseReaders.ts"

const now = Date.parse("2026-11-20T22:00:00Z")
const filed = (form: string, filedOn: string, writtenTime: string) => ({
  form,
  filedOn: Date.parse(filedOn),
  written: Date.parse(writtenTime)
})
const toIso = (times: ReadonlyArray<number | null>) =>
  times.map((time) => time === null ? null : new Date(time).toISOString())

const factsIn = (facts: unknown): CompanyFacts =>
  Result.getOrThrow(readerOf(CompanyFacts).read(extractFacts(now)(JSON.stringify({ facts: { "us-gaap": facts } }))))

const row = (
  start: string,
  end: string,
  val: number,
  filing: readonly [accn: string, fy: number, fp: string, filed: string]
) => {
  const [accn, fy, fp, filedOn] = filing
  return { start, end, val, accn, fy, fp, form: fp === "FY" ? "10-K" : "10-Q", filed: filedOn }
}
const usd = (...rows: ReadonlyArray<unknown>) => ({ units: { USD: rows } })

describe("acceptance times of filings", () => {
  it("are in New York time if a company's filings use it, and otherwise in UTC", () => {
    // EDGAR dates a filing after 17:30 New York time to the next working day. If 18:08 were UTC, the time in New York
    // would be 14:08, before 17:30.
    const wall = [
      filed("8-K", "2026-05-04", "2026-05-01T18:08:27Z"),
      filed("10-Q", "2026-05-01", "2026-05-01T16:21:59Z")
    ]
    assert.deepStrictEqual(toIso(inferAcceptanceTimes(wall)), ["2026-05-01T22:08:27.000Z", "2026-05-01T20:21:59.000Z"])
    const utc = [filed("4", "2026-01-06", "2026-01-07T01:30:00Z"), filed("10-Q", "2026-05-01", "2026-05-01T20:21:59Z")]
    assert.deepStrictEqual(toIso(inferAcceptanceTimes(utc)), ["2026-01-07T01:30:00.000Z", "2026-05-01T20:21:59.000Z"])
  })

  it("are the later ones if both are possible, and null if no time is written", () => {
    const filingsOfBothForms = [filed("8-K", "2026-05-01", "2026-05-01T12:00:00Z"), {
      form: "10-Q",
      filedOn: 0,
      written: null
    }]
    assert.deepStrictEqual(toIso(inferAcceptanceTimes(filingsOfBothForms)), ["2026-05-01T16:00:00.000Z", null])
  })
})

describe("statements", () => {
  const year = ["k25", 2025, "FY", "2025-03-20"] as const
  const first = ["q1", 2026, "Q1", "2025-06-01"] as const
  const second = ["q2", 2026, "Q2", "2025-09-01"] as const

  it("follow a company's own fiscal years, with restated values", () => {
    const facts = factsIn({
      Revenues: usd(
        row("2023-02-01", "2024-01-31", 90, ["k24", 2024, "FY", "2024-03-20"]),
        // The report of the next year restates this year for comparison, and labels it with the next fiscal year.
        row("2023-02-01", "2024-01-31", 91, year),
        row("2024-02-01", "2025-01-31", 100, year),
        row("2025-02-01", "2025-04-30", 30, first),
        row("2024-02-01", "2024-04-30", 20, first),
        row("2025-05-01", "2025-07-31", 33, second),
        row("2025-02-01", "2025-07-31", 63, second)
      ),
      NetCashProvidedByUsedInOperatingActivities: usd(
        row("2025-02-01", "2025-04-30", 5, first),
        row("2025-02-01", "2025-07-31", 12, second)
      )
    })
    const { quarters, years } = deriveStatements(facts, () => undefined, now)
    assert.deepStrictEqual(years.map(({ period, revenue }) => [period, revenue]), [["2024", 91], ["2025", 100]])
    assert.deepStrictEqual(
      quarters.slice(-2).map(({ operatingCashFlow, period, revenue }) => [period, revenue, operatingCashFlow]),
      [["2026Q1", 30, 5], ["2026Q2", 33, 7]]
    )
    // A filing with only a date counts as published at the end of that day in New York.
    assert.strictEqual(new Date(years[1]!.reportedAt).toISOString(), "2025-03-21T03:59:59.999Z")
    assert.strictEqual(new Date(years[1]!.endAt).toISOString(), "2025-01-31T23:59:59.999Z")
    assert.deepStrictEqual([years[1]!.grossProfit, years[1]!.totalDebt, years[1]!.freeCashFlow], [null, null, null])
  })

  it("derive the fourth quarter from the year, and no earnings per share across a split", () => {
    const nine = ["q3", 2025, "Q3", "2025-11-01"] as const
    const fiscalYear = ["k", 2025, "FY", "2026-02-10"] as const
    const eps = (before: number) => ({
      units: {
        "USD/shares": [row("2025-01-01", "2025-09-30", before, nine), row("2025-01-01", "2025-12-31", 4, fiscalYear)]
      }
    })
    const shares = (before: number) => ({
      units: {
        shares: [row("2025-01-01", "2025-09-30", before, nine), row("2025-01-01", "2025-12-31", 100, fiscalYear)]
      }
    })
    const quartersOf = (epsBefore: number, sharesBefore: number) =>
      deriveStatements(
        factsIn({
          NetIncomeLoss: usd(
            row("2025-01-01", "2025-09-30", 300, nine),
            row("2025-01-01", "2025-12-31", 400, fiscalYear)
          ),
          EarningsPerShareDiluted: eps(epsBefore),
          WeightedAverageNumberOfDilutedSharesOutstanding: shares(sharesBefore)
        }),
        () => undefined,
        now
      ).quarters.at(-1)!
    const filedQuarters = quartersOf(3, 99)
    assert.deepStrictEqual([filedQuarters.period, filedQuarters.netIncome, filedQuarters.eps], ["2025Q4", 100, 1])
    assert.isNull(quartersOf(12, 25).eps)
  })

  it("sum debts only if all parts are reported, and ignore later filings", () => {
    const end = { end: "2025-12-31", accn: "k", fy: 2025, fp: "FY", form: "10-K", filed: "2026-02-10" }
    const debtOf = (debts: Readonly<Record<string, number>>) =>
      deriveStatements(
        factsIn({
          Revenues: usd(row("2025-01-01", "2025-12-31", 1, ["k", 2025, "FY", "2026-02-10"])),
          ...Object.fromEntries(Object.entries(debts).map(([concept, val]) => [concept, usd({ ...end, val })]))
        }),
        () => undefined,
        now
      ).years[0]!.totalDebt
    assert.strictEqual(debtOf({ LongTermDebt: 10, ShortTermBorrowings: 2 }), 12)
    assert.strictEqual(debtOf({ LongTermDebtNoncurrent: 10, LongTermDebtCurrent: 1, CommercialPaper: 2 }), 13)
    assert.strictEqual(debtOf({ LongTermDebtNoncurrent: 10, DebtCurrent: 5 }), 15)
    assert.isNull(debtOf({ LongTermDebtNoncurrent: 10 }))
    assert.isNull(debtOf({ ShortTermBorrowings: 2 }))
    const later = factsIn({ Revenues: usd(row("2025-01-01", "2025-12-31", 1, ["k", 2025, "FY", "2026-12-10"])) })
    assert.deepStrictEqual(deriveStatements(later, () => undefined, now), { years: [], quarters: [] })
  })

  it("are empty for a company with other accounting standards", () => {
    const other = extractFacts(now)(JSON.stringify({ facts: { "ifrs-full": { Revenue: { units: { EUR: [{}] } } } } }))
    assert.deepStrictEqual(other, { flows: {}, balances: {} })
    assert.isUndefined(extractFacts(now)("[]"))
    assert.isUndefined(extractFacts(now)(`{"facts":`))
    const euros = factsIn({ Revenues: { units: { EUR: [{ val: "none of ours" }] } } })
    assert.deepStrictEqual(euros.flows["Revenues"], { units: {} })
  })
})

describe("form 4", () => {
  const form = (type: string, rows: string, issuer = "0000000007") =>
    Result.getOrThrow(
      readerOf(Form4).read(parseForm4(`<?xml version="1.0"?><ownershipDocument>
      <documentType>${type}</documentType><issuer><issuerCik>${issuer}</issuerCik></issuer>
      <reportingOwner><reportingOwnerId><rptOwnerName>DOE &amp; SONS</rptOwnerName></reportingOwnerId>
      <reportingOwnerRelationship><isDirector>true</isDirector><isOfficer>1</isOfficer><officerTitle>CEO</officerTitle>
      </reportingOwnerRelationship></reportingOwner>
      <reportingOwner><reportingOwnerId><rptOwnerName>A FUND</rptOwnerName></reportingOwnerId></reportingOwner>
      ${rows}</ownershipDocument>`))
    )
  const makeSaleRow = (shares: string, price: string, code = "S") =>
    `<nonDerivativeTransaction>
    <transactionDate><value>2026-11-10-05:00</value></transactionDate>
    <transactionCoding><transactionCode>${code}</transactionCode></transactionCoding>
    <transactionAmounts><transactionShares>${shares}</transactionShares>
    <transactionPricePerShare>${price}</transactionPricePerShare></transactionAmounts></nonDerivativeTransaction>`
  const table = (...rows: ReadonlyArray<string>) => `<nonDerivativeTable>${rows.join("")}</nonDerivativeTable>`
  const value = (text: string) => `<value>${text}</value>`
  const filedAt = now - dayMs

  it("names the first of joint owners with all roles, and reads only reported prices", () => {
    const trades = toInsiderTrades([{
      form: form(
        "4",
        table(
          makeSaleRow(value("100"), value(".5")),
          makeSaleRow(value("7."), `<footnoteId id="F1"/>`, "F"),
          makeSaleRow(`<footnoteId id="F1"/>`, value("2")),
          makeSaleRow(value("3"), value("0"), "A"),
          makeSaleRow(value("4"), value("9.25"), "M")
        )
      ),
      filedAt
    }], 7)
    assert.deepStrictEqual(trades.map(({ kind, price, shares }) => [kind, shares, price]), [
      ["sell", 100, 0.5],
      ["other", 7, null],
      ["grant", 3, null],
      ["exercise", 4, 9.25]
    ])
    assert.deepInclude(trades[0], { name: "DOE & SONS", role: "CEO, Director", filedAt })
    assert.strictEqual(new Date(trades[0]!.time).toISOString(), "2026-11-10T05:00:00.000Z")
  })

  it("replaces amended trades, and skips another company's shares", () => {
    const first = {
      form: form("4", table(makeSaleRow(value("100"), value("5")), makeSaleRow(value("8"), value("6")))),
      filedAt
    }
    const amendedFiling = { form: form("4/A", table(makeSaleRow(value("100"), value("5.5")))), filedAt: now }
    const others = { form: form("4", table(makeSaleRow(value("1"), value("1"))), "0000000008"), filedAt }
    const formWithoutTrades = { form: form("4", "<nonDerivativeTable/>"), filedAt }
    const trades = toInsiderTrades([first, amendedFiling, others, formWithoutTrades], 7)
    assert.deepStrictEqual(trades.map(({ price, shares }) => [shares, price]), [[8, 6], [100, 5.5]])
  })

  it("is rejected if its XML defines entities, ends early or is nested too deeply", () => {
    const read = makeXmlParser([])
    assert.deepStrictEqual(read("<a><b>1 &lt; 2 &#233;</b></a>"), { a: { b: "1 < 2 é" } })
    const bomb = `<!DOCTYPE a [<!ENTITY b "lol"><!ENTITY c "&b;&b;">]><a>&c;</a>`
    for (const text of [bomb, "<a><b>1</b>", `${"<a>".repeat(100)}1${"</a>".repeat(100)}`, "{}", ""]) {
      assert.isTrue([undefined, "{}"].includes(JSON.stringify(read(text))), text.slice(0, 20))
    }
  })
})
