/**
 * Fetches filings of Korean companies from the financial regulator (OpenDART). Every OpenDART response has HTTP status
 * 200, and the field `status` reports errors.
 */
import {
  dayMs,
  type EquityExchange,
  type EquityMarkets,
  type Filing,
  hourMs,
  makeReading,
  type SourceUnavailable,
  type Stock,
  UnknownSymbol
} from "@tapeline/core/market"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import {
  DateDigits,
  makeSource,
  Name,
  notConfigured,
  type ReadBodyRejection,
  type RetryPolicy,
  type Source,
  SourceHealth,
  type SourceResponse,
  withValue
} from "../source/index.ts"
import { Companies, type DartCompany, KoreanSymbol, parseCompanies, toCompaniesBySymbol } from "./companies.ts"
import { getFilingKind } from "./filingKind.ts"

/** A page of filings, newest first. */
export interface DartPage {
  readonly filings: ReadonlyArray<Filing & { readonly receipt: string }>
  readonly pages: number
}

export interface DartQuery {
  readonly corpCode?: string
  /** The market to search: `Y` (KOSPI), `K` (KOSDAQ) or `N` (KONEX). */
  readonly market?: "Y" | "K" | "N"
  readonly from: number
  readonly to: number
  readonly page: number
}

type Port = EquityMarkets["Service"]

/** Implements `stock` and `filings` of `EquityMarkets` for Korean companies, with data of the financial regulator. */
export class OpenDart extends Context.Service<
  OpenDart,
  Pick<Port, "stock" | "filings"> & {
    readonly companies: Effect.Effect<SourceResponse<ReadonlyMap<string, DartCompany>>, SourceUnavailable>
    readonly page: (query: DartQuery) => Effect.Effect<SourceResponse<DartPage>, SourceUnavailable>
    /** Fetches the facts of a company, or null if the regulator does not know the company. */
    readonly company: (corpCode: string) => Effect.Effect<SourceResponse<Stock | null>, SourceUnavailable>
  }
>()("@tapeline/market-live/OpenDart") {}

export interface OpenDartOptions {
  /** The API key from https://opendart.fss.or.kr, without which no request is sent. */
  readonly key?: string | undefined
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

const sourceName = "opendart"
const variable = "TAPELINE_OPENDART_KEY"

const StatusBody = Schema.Union([
  Schema.Struct({ status: Schema.String }),
  Schema.Struct({ result: Schema.Struct({ status: Schema.String }) })
])
const decodeStatusBody = Schema.decodeUnknownOption(StatusBody)
const statusOf = (body: unknown): string | undefined => {
  const decoded = Option.getOrUndefined(decodeStatusBody(body))
  return decoded === undefined ? undefined : "result" in decoded ? decoded.result.status : decoded.status
}

const isEmptyResult = (body: unknown): boolean => statusOf(body) === "013"

const rejectedKeyStatuses = new Set(["010", "011", "012", "901"])
/** The pause after a key's daily requests are used up, because the response does not report when the quota is reset. */
const quotaPauseMs = 600_000

const readOpenDartRejection: ReadBodyRejection = (body) => {
  const status = statusOf(body)
  if (status === undefined || status === "000") return undefined
  const shownStatus = /^\d{3}$/u.test(status) ? status : "without a number"
  if (rejectedKeyStatuses.has(status)) {
    return { failure: "not_configured", reason: `the API key was rejected (${shownStatus}): set a valid ${variable}` }
  }
  if (status === "020") {
    return {
      failure: "rate_limited",
      reason: `the request quota of the key is used up (${shownStatus})`,
      retryAfterMs: quotaPauseMs
    }
  }
  if (status === "800" || status === "900") return { failure: "unreachable", reason: `it failed (${shownStatus})` }
  return { failure: "malformed", reason: `the request was rejected (${shownStatus})` }
}

const Words = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}\p{Cs}]{0,300}$/u, { expected: "text without control characters" })
)
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

const Page = Schema.Struct({
  status: Schema.Literal("000"),
  total_page: Count,
  list: Schema.Array(Schema.Struct({
    corp_name: Name,
    stock_code: Schema.Union([Schema.Literals(["", " "]), KoreanSymbol]),
    report_nm: Name,
    rcept_no: Schema.String.check(Schema.isPattern(/^\d{14}$/u, { expected: "a receipt's number" })),
    rcept_dt: DateDigits
  }))
})

const toPage = ({ list, total_page }: typeof Page.Type): DartPage => ({
  pages: total_page,
  filings: list.flatMap(({ corp_name, rcept_dt, rcept_no, report_nm, stock_code }) => {
    const title = report_nm.replace(/\s+/gu, " ").trim()
    // Filings of funds, and of companies that are not listed, are skipped.
    if (stock_code.trim() === "" || title === "") return []
    return [{
      date: new Date(rcept_dt).toISOString().slice(0, 10),
      time: null,
      symbol: stock_code,
      company: corp_name.trim(),
      title,
      url: `https://dart.fss.or.kr/dsaf001/main.do?rcpNo=${rcept_no}`,
      kind: getFilingKind(title),
      receipt: rcept_no
    }]
  })
})

const Company = Schema.Struct({
  status: Schema.Literal("000"),
  stock_name: Name,
  corp_name_eng: Words,
  stock_code: KoreanSymbol,
  corp_cls: Schema.Literals(["Y", "K", "N", "E"])
})
const exchanges: Readonly<Record<string, EquityExchange>> = { Y: "KOSPI", K: "KOSDAQ", N: "KONEX" }

const toStock = ({ corp_cls, corp_name_eng, stock_code, stock_name }: typeof Company.Type): Stock | null => {
  const exchange = exchanges[corp_cls]
  if (exchange === undefined) return null
  const koreanName = stock_name.trim()
  const english = corp_name_eng.trim()
  return {
    symbol: stock_code,
    name: english === "" ? koreanName : english,
    koreanName,
    country: "KR",
    exchange,
    currency: "KRW",
    sector: null,
    sharesOutstanding: null,
    listedAt: null,
    delistedAt: null
  }
}

const dateInKorea = (time: number): string => new Date(time + 9 * hourMs).toISOString().slice(0, 10).replaceAll("-", "")

const perPage = 100
/** The length of the past period for which filings of one company are requested. */
const companyLookbackMs = 10 * 366 * dayMs
/**
 * The length of the past period for which filings of all companies are requested. The period is longer than any series
 * of Korean holidays.
 */
const allCompaniesLookbackMs = 21 * dayMs
const markets = ["Y", "K", "N"] as const

const makeRequests = (source: Source, key: string) => ({
  companies: Effect.map(
    source.parsed({
      label: "companies",
      path: "/api/corpCode.xml",
      query: { crtfc_key: key },
      binary: true,
      parse: parseCompanies,
      schema: Companies,
      maxBytes: 32 * 1024 * 1024,
      cacheMs: dayMs / 2
    }),
    (answer) => withValue(answer, toCompaniesBySymbol(answer.value))
  ),
  page: ({ market, corpCode, from, page, to }: DartQuery) =>
    Effect.map(
      source.find({
        label: "filings",
        path: "/api/list.json",
        query: {
          crtfc_key: key,
          corp_code: corpCode,
          corp_cls: market,
          bgn_de: dateInKorea(from),
          end_de: dateInKorea(to),
          sort: "date",
          sort_mth: "desc",
          page_no: page,
          page_count: perPage
        },
        schema: Page,
        isAbsent: isEmptyResult,
        cacheMs: 30_000
      }),
      (answer) => withValue(answer, answer.value === null ? { filings: [], pages: 0 } : toPage(answer.value))
    ),
  company: (corpCode: string) =>
    Effect.map(
      source.find({
        label: "company",
        path: "/api/company.json",
        query: { crtfc_key: key, corp_code: corpCode },
        schema: Company,
        isAbsent: isEmptyResult,
        cacheMs: dayMs / 2
      }),
      (answer) => withValue(answer, answer.value === null ? null : toStock(answer.value))
    )
})

const compareByReceipt = (a: Filing & { readonly receipt: string }, b: Filing & { readonly receipt: string }): number =>
  a.date.localeCompare(b.date) || a.receipt.localeCompare(b.receipt)

const make = (source: Source, key: string): OpenDart["Service"] => {
  const requests = makeRequests(source, key)

  const findCompany = Effect.fnUntraced(function*(symbol: string) {
    const { value } = yield* requests.companies
    return value.get(symbol) ?? (yield* new UnknownSymbol({ symbol }))
  })

  const fetchNewest = Effect.fnUntraced(function*(query: Omit<DartQuery, "page">, limit: number) {
    const found: Array<DartPage["filings"][number]> = []
    let receivedAt = Infinity
    for (let page = 1, pages = 1; page <= pages && found.length < limit; page++) {
      const answer = yield* requests.page({ ...query, page })
      found.push(...answer.value.filings)
      pages = answer.value.pages
      receivedAt = Math.min(receivedAt, answer.receivedAt)
    }
    return { found, receivedAt }
  })

  return {
    ...requests,
    stock: Effect.fnUntraced(function*(symbol) {
      const { corpCode } = yield* findCompany(symbol)
      const { receivedAt, value } = yield* requests.company(corpCode)
      return value === null ? yield* new UnknownSymbol({ symbol }) : makeReading(value, sourceName, receivedAt)
    }),
    filings: Effect.fnUntraced(function*({ limit, symbol }) {
      const company = symbol === undefined ? undefined : yield* findCompany(symbol)
      const now = yield* Clock.currentTimeMillis
      const answers = company === undefined
        ? yield* Effect.forEach(
          markets,
          (market) => fetchNewest({ market, from: now - allCompaniesLookbackMs, to: now }, limit),
          { concurrency: 3 }
        )
        : [yield* fetchNewest({ corpCode: company.corpCode, from: now - companyLookbackMs, to: now }, limit)]
      const filings = answers
        .flatMap(({ found }) => found)
        .toSorted(compareByReceipt)
        .slice(-limit)
        .map(({ receipt: _, ...filing }): Filing => filing)
      const last = filings.at(-1)
      // Only the date of a filing is known, so the end of the day is used, but no later time than `now`.
      const asOf = last === undefined
        ? Math.min(...answers.map(({ receivedAt }) => receivedAt))
        : Math.min(now, Date.parse(last.date) + dayMs - 9 * hourMs)
      return makeReading(filings, sourceName, asOf)
    })
  }
}

/** Limits below OpenDART's quota of 20,000 requests a day: 800 an hour are 19,200 a day. */
export const openDartLimits = [{ weight: 60, windowMs: 60_000 }, { weight: 800, windowMs: hourMs }]

export const layerOpenDart = (
  { baseUrl = "https://opendart.fss.or.kr", key, retryPolicy = {} }: OpenDartOptions = {}
): Layer.Layer<OpenDart, never, SourceHealth> => {
  if (key === undefined) {
    const noKeyError = Effect.fail(notConfigured(sourceName, variable, "a free key of the Korean regulator"))
    const failWithoutKey = () => noKeyError
    return Layer.succeed(OpenDart, {
      stock: failWithoutKey,
      filings: failWithoutKey,
      companies: noKeyError,
      page: failWithoutKey,
      company: failWithoutKey
    })
  }
  return Layer.effect(
    OpenDart,
    Effect.map(
      makeSource({
        name: sourceName,
        baseUrl,
        limits: openDartLimits,
        variable,
        readBodyRejection: readOpenDartRejection,
        retryPolicy
      }),
      (source) => make(source, key)
    )
  )
}
