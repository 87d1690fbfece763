import { type EquityMarkets, type Filing, koreanExchanges, type Stock } from "@tapeline/core/market"
import { Effect } from "effect"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"
import { makeZip } from "./makeZip.ts"

type Equities = Pick<EquityMarkets["Service"], "stocks" | "filings">

const marketCodes: Readonly<Record<string, string>> = { KOSPI: "Y", KOSDAQ: "K", KONEX: "N" }

interface Company extends Stock {
  readonly corpCode: string
}

const companiesOf = (equities: Equities) =>
  Effect.map(
    Effect.orDie(equities.stocks("KR")),
    ({ value }) => value.map((stock, i): Company => ({ ...stock, corpCode: String(126_000 + i).padStart(8, "0") }))
  )

const statusResponse = (status: string, message: string): FakeResponse => ({ body: { status, message } })

const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const rowOf = (corpCode: string, name: string, symbol: string): string =>
  `    <list>\n        <corp_code>${corpCode}</corp_code>\n        <corp_name>${escapeXml(name)}</corp_name>\n` +
  `        <corp_eng_name>${escapeXml(name)} Co., Ltd.</corp_eng_name>\n        <stock_code>${symbol}</stock_code>\n` +
  `        <modify_date>20261101</modify_date>\n    </list>\n`

/** Returns the archive of company codes, in which an unlisted company has a space as its symbol. */
const corpCodes = (companies: ReadonlyArray<Company>): Uint8Array =>
  makeZip(
    "CORPCODE.xml",
    `<?xml version="1.0" encoding="UTF-8"?>\n<result>\n${rowOf("00434003", "다코", " ")}${
      companies.map(({ corpCode, koreanName, name, symbol }) => rowOf(corpCode, koreanName ?? name, symbol)).join("")
    }</result>\n`
  )

const digitsOf = ({ date }: Filing): string => date.replaceAll("-", "")

const filingsPage = (
  companies: ReadonlyArray<Company>,
  filings: ReadonlyArray<Filing>,
  query: URLSearchParams
): FakeResponse => {
  const marketCodeOf = (symbol: string): string =>
    marketCodes[companies.find((company) => company.symbol === symbol)?.exchange ?? koreanExchanges[0]]!
  const rows = filings
    .map((filing, i) => ({ filing, receipt: `${digitsOf(filing)}${String(i).padStart(6, "0")}` }))
    .filter(({ filing }) =>
      digitsOf(filing) >= query.get("bgn_de")! && digitsOf(filing) <= query.get("end_de")! &&
      (query.get("corp_cls") ?? marketCodeOf(filing.symbol)) === marketCodeOf(filing.symbol)
    )
    .toReversed()
  if (rows.length === 0) return statusResponse("013", "조회된 데이타가 없습니다.")
  const [page, count] = [Number(query.get("page_no")), Number(query.get("page_count"))]
  return {
    body: {
      status: "000",
      message: "정상",
      page_no: page,
      page_count: count,
      total_count: rows.length,
      total_page: Math.ceil(rows.length / count),
      list: rows.slice((page - 1) * count, page * count).map(({ filing, receipt }) => ({
        corp_code: companies.find(({ symbol }) => symbol === filing.symbol)?.corpCode,
        corp_name: filing.company,
        stock_code: filing.symbol,
        corp_cls: marketCodeOf(filing.symbol),
        report_nm: `${filing.title}           `,
        rcept_no: receipt,
        flr_nm: filing.company,
        rcept_dt: digitsOf(filing),
        rm: "유"
      }))
    }
  }
}

const maxFilings = 400

/** Creates a fake of OpenDART's API, which accepts only the API key `key`, according to OpenDART's documentation. */
export const makeOpenDart = (equities: Equities, key: string): RequestHandler => ({ path, query }) =>
  Effect.gen(function*() {
    const isArchive = path === "/api/corpCode.xml"
    if (query.get("crtfc_key") !== key) {
      return isArchive
        ? { body: `<?xml version="1.0" encoding="UTF-8"?><result><status>010</status><message>no</message></result>` }
        : statusResponse("010", "등록되지 않은 키입니다.")
    }
    const companies = yield* companiesOf(equities)
    if (isArchive) {
      return { headers: { "content-type": "application/zip" }, body: corpCodes(companies) }
    }
    const company = companies.find(({ corpCode }) => corpCode === query.get("corp_code"))
    if (path === "/api/company.json") {
      if (company === undefined) return statusResponse("013", "조회된 데이타가 없습니다.")
      const { corpCode, exchange, koreanName, name, symbol } = company
      return {
        body: {
          status: "000",
          message: "정상",
          corp_code: corpCode,
          corp_name: `${koreanName ?? name}(주)`,
          corp_name_eng: name,
          stock_name: koreanName ?? name,
          stock_code: symbol,
          corp_cls: marketCodes[exchange],
          acc_mt: "12"
        }
      }
    }
    if (path !== "/api/list.json") return null
    const filter = company === undefined ? {} : { symbol: company.symbol }
    const { value } = yield* Effect.orDie(equities.filings({ ...filter, limit: maxFilings }))
    return filingsPage(companies, value, query)
  })
