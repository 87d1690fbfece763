/**
 * Filings of Korean companies from the financial regulator (OpenDART), with a free key. Every response has status 200,
 * and `status` in the body shows whether it is an error.
 */
import {
  dayMs,
  type EquityExchange,
  type EquityMarkets,
  type Filing,
  hourMs,
  reading,
  type SourceUnavailable,
  type Stock,
  UnknownSymbol
} from "@tapeline/core/market"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import {
  type Answer,
  answering,
  DateDigits,
  makeSource,
  Name,
  notConfigured,
  type Patience,
  type RefusedInBody,
  type Source,
  SourceHealth
} from "../../source/index.ts"
import { Companies, companiesIn, companiesOf, type DartCompany, KoreanSymbol } from "./companies.ts"
import { filingKind } from "./filingKind.ts"

/** A page of filings, newest first. */
export interface DartPage {
  readonly filings: ReadonlyArray<Filing & { readonly receipt: string }>
  readonly pages: number
}

export interface DartQuery {
  readonly corpCode?: string
  /** The market: `Y` (KOSPI), `K` (KOSDAQ), `N` (KONEX). */
  readonly board?: "Y" | "K" | "N"
  readonly from: number
  readonly to: number
  readonly page: number
}

type Port = EquityMarkets["Service"]

/** The part of `EquityMarkets` that the Korean regulator provides: facts and filings of listed companies. */
export class OpenDart extends Context.Service<
  OpenDart,
  Pick<Port, "stock" | "filings"> & {
    /** The listed companies, by symbol. */
    readonly companies: Effect.Effect<Answer<ReadonlyMap<string, DartCompany>>, SourceUnavailable>
    readonly page: (query: DartQuery) => Effect.Effect<Answer<DartPage>, SourceUnavailable>
    /** Returns null if the regulator does not know the company. */
    readonly company: (corpCode: string) => Effect.Effect<Answer<Stock | null>, SourceUnavailable>
  }
>()("@tapeline/market-live/OpenDart") {}

export interface OpenDartOptions {
  /** The key, from https://opendart.fss.or.kr. Without it no request is sent. */
  readonly key?: string | undefined
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
}

const name = "opendart"
const variable = "TAPELINE_OPENDART_KEY"

const Said = Schema.Union([
  Schema.Struct({ status: Schema.String }),
  Schema.Struct({ result: Schema.Struct({ status: Schema.String }) })
])
const decodeSaid = Schema.decodeUnknownOption(Said)
const statusOf = (body: unknown): string | undefined => {
  const said = Option.getOrUndefined(decodeSaid(body))
  return said === undefined ? undefined : "result" in said ? said.result.status : said.status
}

const hasNone = (body: unknown): boolean => statusOf(body) === "013"

const keyRefused = new Set(["010", "011", "012", "901"])
/** The pause after a key's daily requests are used up. The response does not contain the time of the reset. */
const usedUpMs = 600_000

const refused: RefusedInBody = (body) => {
  const status = statusOf(body)
  if (status === undefined || status === "000") return undefined
  const said = /^\d{3}$/u.test(status) ? status : "without a number"
  if (keyRefused.has(status)) {
    return { failure: "not_configured", reason: `it does not accept the key (${said}): set ${variable}` }
  }
  if (status === "020") {
    return { failure: "rate_limited", reason: `the requests of our key are used up (${said})`, retryAfterMs: usedUpMs }
  }
  if (status === "800" || status === "900") return { failure: "unreachable", reason: `it failed (${said})` }
  return { failure: "malformed", reason: `it does not take the request (${said})` }
}

/** The text of a title or a name, which may be padded with spaces. */
const Words = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}\p{Cs}]{0,300}$/u, { expected: "words without control characters" })
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

const pageOf = ({ list, total_page }: typeof Page.Type): DartPage => ({
  pages: total_page,
  filings: list.flatMap(({ corp_name, rcept_dt, rcept_no, report_nm, stock_code }) => {
    const title = report_nm.replace(/\s+/gu, " ").trim()
    // A fund, or a company that is not listed.
    if (stock_code.trim() === "" || title === "") return []
    return [{
      date: new Date(rcept_dt).toISOString().slice(0, 10),
      time: null,
      symbol: stock_code,
      company: corp_name.trim(),
      title,
      url: `https://dart.fss.or.kr/dsaf001/main.do?rcpNo=${rcept_no}`,
      kind: filingKind(title),
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

const stockOf = ({ corp_cls, corp_name_eng, stock_code, stock_name }: typeof Company.Type): Stock | null => {
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
/** How far back filings are requested: of one company, and of all companies. The latter is longer than any holidays. */
const companyMs = 10 * 366 * dayMs
const everyoneMs = 21 * dayMs
const boards = ["Y", "K", "N"] as const

/** The requests to the API. */
const requestsOf = (source: Source, key: string) => ({
  companies: Effect.map(
    source.parsed({
      what: "companies",
      path: "/api/corpCode.xml",
      query: { crtfc_key: key },
      binary: true,
      parse: companiesIn,
      schema: Companies,
      maxBytes: 32 * 1024 * 1024,
      cacheMs: dayMs / 2
    }),
    (answer) => answering(answer, companiesOf(answer.value))
  ),
  page: ({ board, corpCode, from, page, to }: DartQuery) =>
    Effect.map(
      source.find({
        what: "filings",
        path: "/api/list.json",
        query: {
          crtfc_key: key,
          corp_code: corpCode,
          corp_cls: board,
          bgn_de: dateInKorea(from),
          end_de: dateInKorea(to),
          sort: "date",
          sort_mth: "desc",
          page_no: page,
          page_count: perPage
        },
        schema: Page,
        absent: hasNone,
        cacheMs: 30_000
      }),
      (answer) => answering(answer, answer.value === null ? { filings: [], pages: 0 } : pageOf(answer.value))
    ),
  company: (corpCode: string) =>
    Effect.map(
      source.find({
        what: "company",
        path: "/api/company.json",
        query: { crtfc_key: key, corp_code: corpCode },
        schema: Company,
        absent: hasNone,
        cacheMs: dayMs / 2
      }),
      (answer) => answering(answer, answer.value === null ? null : stockOf(answer.value))
    )
})

const byReceipt = (a: Filing & { readonly receipt: string }, b: Filing & { readonly receipt: string }): number =>
  a.date.localeCompare(b.date) || a.receipt.localeCompare(b.receipt)

const make = (source: Source, key: string): OpenDart["Service"] => {
  const requests = requestsOf(source, key)

  const find = Effect.fnUntraced(function*(symbol: string) {
    const { value } = yield* requests.companies
    return value.get(symbol) ?? (yield* new UnknownSymbol({ symbol }))
  })

  /** The newest filings of a query, from as many pages as needed. */
  const newest = Effect.fnUntraced(function*(query: Omit<DartQuery, "page">, limit: number) {
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
      const { corpCode } = yield* find(symbol)
      const { receivedAt, value } = yield* requests.company(corpCode)
      return value === null ? yield* new UnknownSymbol({ symbol }) : reading(value, name, receivedAt)
    }),
    filings: Effect.fnUntraced(function*({ limit, symbol }) {
      const company = symbol === undefined ? undefined : yield* find(symbol)
      const now = yield* Clock.currentTimeMillis
      const answers = company === undefined
        ? yield* Effect.forEach(
          boards,
          (board) => newest({ board, from: now - everyoneMs, to: now }, limit),
          { concurrency: 3 }
        )
        : [yield* newest({ corpCode: company.corpCode, from: now - companyMs, to: now }, limit)]
      const filings = answers
        .flatMap(({ found }) => found)
        .toSorted(byReceipt)
        .slice(-limit)
        .map(({ receipt: _, ...filing }): Filing => filing)
      const last = filings.at(-1)
      // If only the date is known, the end of that day is used, but not a future time.
      const asOf = last === undefined
        ? Math.min(...answers.map(({ receivedAt }) => receivedAt))
        : Math.min(now, Date.parse(last.date) + dayMs - 9 * hourMs)
      return reading(filings, name, asOf)
    })
  }
}

/** OpenDART allows 20,000 requests a day. */
const limits = [{ weight: 60, windowMs: 60_000 }]

export const layerOpenDart = (
  { baseUrl = "https://opendart.fss.or.kr", key, patience = {} }: OpenDartOptions = {}
): Layer.Layer<OpenDart, never, SourceHealth> => {
  if (key === undefined) {
    const absent = Effect.fail(notConfigured(name, variable, "a free key of the Korean regulator"))
    const asked = () => absent
    return Layer.succeed(OpenDart, { stock: asked, filings: asked, companies: absent, page: asked, company: asked })
  }
  return Layer.effect(
    OpenDart,
    Effect.map(
      makeSource({ name, baseUrl, limits, variable, refusedInBody: refused, patience }),
      (source) => make(source, key)
    )
  )
}
