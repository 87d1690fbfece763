import { dayMs, type EquityMarkets, hourMs, type InsiderTrade, localDay, newYorkOffset } from "@tapeline/core/market"
import { Effect } from "effect"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"
import { companyFacts, type Report } from "./companyFacts.ts"

type Equities = Pick<EquityMarkets["Service"], "stocks" | "fundamentals" | "insiderTrades">

interface Company {
  readonly cik: number
  readonly symbol: string
  readonly name: string
  readonly exchange: string
}

const exchanges: Readonly<Record<string, string>> = { NASDAQ: "Nasdaq", "Cboe BZX": "CBOE" }

const companiesOf = (equities: Equities) =>
  Effect.map(
    Effect.orDie(equities.stocks("US")),
    ({ value }) =>
      value.filter(({ delistedAt }) => delistedAt === null).map(({ exchange, name, symbol }, i): Company => ({
        cik: 320_001 + i,
        symbol,
        name,
        exchange: exchanges[exchange] ?? "NYSE"
      }))
  )

const padCik = (cik: number): string => String(cik).padStart(10, "0")
const accessionOf = (cik: number, nth: number): string => `${padCik(cik)}-26-${String(nth).padStart(6, "0")}`

/**
 * Returns an acceptance time in the format of EDGAR. If the CIK of the company is odd, the text is New York time marked
 * as UTC.
 */
const writtenTimeOf = ({ cik }: Company, time: number): string => {
  const publishedTime = cik % 2 === 0 ? time : time - newYorkOffset(localDay("US", time)) * hourMs
  return `${new Date(publishedTime).toISOString().slice(0, 19)}.000Z`
}

/**
 * Returns the filing date of a report. A report after 17:30 in New York is filed on the next working day. Insider
 * reports are filed on the same day.
 */
const filedOn = (time: number, isInsiders: boolean): string => {
  let day = localDay("US", time)
  const hours = (time - newYorkOffset(day) * hourMs - day * dayMs) / hourMs
  if (hours > 17.5 && !isInsiders) { for (day++; (day + 4) % 7 === 0 || (day + 4) % 7 === 6;) day++ }
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

const reportsOf = Effect.fnUntraced(function*(equities: Equities, { cik, symbol }: Company) {
  const { value: fundamentals } = yield* Effect.orDie(equities.fundamentals(symbol))
  const makeReport = (period: Report["period"], form: Report["form"], nth: number): Report => ({
    period,
    accession: accessionOf(cik, nth),
    form,
    filed: filedOn(period.reportedAt, false)
  })
  const reports = [
    ...fundamentals.years.map((period, i) => makeReport(period, "10-K", 100 + i)),
    ...fundamentals.quarters.filter(({ period }) => !period.endsWith("Q4")).map((period, i) =>
      makeReport(period, "10-Q", 200 + i)
    )
  ].toSorted((a, b) => a.period.endAt - b.period.endAt)
  return { fundamentals, reports }
})

const insidersOf = (equities: Equities, { symbol }: Company) =>
  Effect.map(Effect.orDie(equities.insiderTrades({ symbol, days: 365 })), ({ value }) => value)

const submissions = Effect.fnUntraced(function*(equities: Equities, company: Company): Effect.fn.Return<FakeResponse> {
  const { reports } = yield* reportsOf(equities, company)
  const trades = yield* insidersOf(equities, company)
  const rows = [
    ...reports.map(({ accession, form, period: { reportedAt } }) => ({
      accession,
      form,
      time: reportedAt,
      document: "r.htm"
    })),
    ...trades.map(({ filedAt }, i) => ({
      accession: accessionOf(company.cik, 500 + i),
      form: "4",
      time: filedAt,
      document: "xslF345X05/form4.xml"
    }))
  ].toSorted((a, b) => b.time - a.time)
  return {
    body: {
      cik: padCik(company.cik),
      name: company.name,
      tickers: [company.symbol.replace(".", "-")],
      filings: {
        recent: {
          accessionNumber: rows.map(({ accession }) => accession),
          filingDate: rows.map(({ form, time }) => filedOn(time, form === "4")),
          reportDate: rows.map(() => ""),
          acceptanceDateTime: rows.map(({ time }) => writtenTimeOf(company, time)),
          form: rows.map(({ form }) => form),
          primaryDocument: rows.map(({ document }) => document)
        },
        files: []
      }
    }
  }
})

const codes = { buy: "P", sell: "S", grant: "A", exercise: "M", gift: "G", other: "F" } as const
const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const priceOf = ({ kind, price }: InsiderTrade): string =>
  price !== null ? `<value>${price}</value>` : kind === "gift" ? `<footnoteId id="F1"/>` : "<value>0</value>"

const form4 = ({ cik, name, symbol }: Company, trade: InsiderTrade): string => {
  const isDirector = trade.role === "Director"
  const isOwner = trade.role === "10% Owner"
  const day = localDay("US", trade.time)
  return `<?xml version="1.0"?>
<ownershipDocument>
<schemaVersion>X0508</schemaVersion><documentType>4</documentType><periodOfReport>2026-01-02</periodOfReport>
<issuer><issuerCik>${padCik(cik)}</issuerCik><issuerName>${escapeXml(name)}</issuerName>
<issuerTradingSymbol>${symbol}</issuerTradingSymbol></issuer>
<reportingOwner><reportingOwnerId><rptOwnerCik>0001000001</rptOwnerCik>
<rptOwnerName>${escapeXml(trade.name)}</rptOwnerName></reportingOwnerId>
<reportingOwnerRelationship><isDirector>${isDirector ? 1 : 0}</isDirector>
<isOfficer>${isDirector || isOwner ? "false" : "true"}</isOfficer><isTenPercentOwner>${
    isOwner ? 1 : 0
  }</isTenPercentOwner>
<officerTitle>${isDirector || isOwner ? "" : trade.role}</officerTitle></reportingOwnerRelationship></reportingOwner>
<nonDerivativeTable><nonDerivativeTransaction>
<securityTitle><value>Common Stock</value></securityTitle>
<transactionDate><value>${new Date(day * dayMs).toISOString().slice(0, 10)}</value></transactionDate>
<transactionCoding><transactionFormType>4</transactionFormType><transactionCode>${
    codes[trade.kind]
  }</transactionCode></transactionCoding>
<transactionAmounts><transactionShares><value>${trade.shares}</value></transactionShares>
<transactionPricePerShare>${priceOf(trade)}</transactionPricePerShare></transactionAmounts>
</nonDerivativeTransaction></nonDerivativeTable>
<ownerSignature><signatureDate>2026-01-02</signatureDate></ownerSignature>
</ownershipDocument>`
}

const noSuchKey: FakeResponse = {
  status: 404,
  headers: { "content-type": "application/xml" },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>no such key</Message></Error>`
}

const undeclaredClient: FakeResponse = {
  status: 403,
  headers: { "content-type": "text/html" },
  body: "<!DOCTYPE html><html><body>Your Request Originates from an Undeclared Automated Tool</body></html>"
}

const serve = Effect.fnUntraced(function*(
  equities: Equities,
  path: string
): Effect.fn.Return<FakeResponse | null> {
  const companies = yield* companiesOf(equities)
  if (path === "/files/company_tickers_exchange.json") {
    const listed = companies.map(({ cik, exchange, name, symbol }) => [cik, name, symbol.replace(".", "-"), exchange])
    return {
      body: {
        fields: ["cik", "name", "ticker", "exchange"],
        data: [[99, "Pink Inc.", "PINKY", "OTC"], [98, "Nowhere Corp", "NWHR", null], ...listed]
      }
    }
  }
  const [, documentKind, cik] = /^\/(submissions|api\/xbrl\/companyfacts)\/CIK(\d{10})\.json$/u.exec(path) ?? []
  const company = companies.find((one) => one.cik === Number(cik))
  if (documentKind !== undefined) {
    if (company === undefined) return noSuchKey
    if (documentKind === "submissions") return yield* submissions(equities, company)
    const { fundamentals, reports } = yield* reportsOf(equities, company)
    return { body: companyFacts(fundamentals, reports, company.cik, company.name) }
  }
  const [, filingCik, nth] = /^\/Archives\/edgar\/data\/(\d+)\/\d{12}(\d{6})\/form4\.xml$/u.exec(path) ?? []
  const issuer = companies.find((one) => one.cik === Number(filingCik))
  if (issuer === undefined) return null
  const trade = (yield* insidersOf(equities, issuer))[Number(nth) - 500]
  return trade === undefined
    ? null
    : { headers: { "content-type": "text/xml" }, body: form4(issuer, trade) }
})

/** Creates a fake of EDGAR's two hosts, according to EDGAR's documentation. */
export const makeEdgar = (equities: Equities): RequestHandler => ({ headers, path }) =>
  /\S+ \S+@\S+/u.test(headers["user-agent"] ?? "")
    ? serve(equities, path)
    : Effect.succeed(undeclaredClient)
