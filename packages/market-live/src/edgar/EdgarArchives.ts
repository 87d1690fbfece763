import { dayMs, type EquityExchange, type SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import {
  lenientList,
  makeSource,
  Name,
  type Source,
  SourceHealth,
  type SourceResponse,
  withValue
} from "../source/index.ts"
import {
  archiveLimits,
  edgarName,
  type EdgarOptions,
  edgarRateLimit403,
  headersOf,
  noContactError
} from "./edgarSource.ts"
import { Form4, parseForm4 } from "./insiderTrades.ts"
import type { Submission } from "./submissions.ts"

/** A company that is listed on a US exchange, with its ticker as the exchange writes it. */
export interface Registrant {
  readonly cik: number
  readonly symbol: string
  readonly name: string
  readonly exchange: EquityExchange
}

/** EDGAR's host `www.sec.gov`, which serves listed companies and filings. */
export class EdgarArchives extends Context.Service<EdgarArchives, {
  readonly registrants: Effect.Effect<SourceResponse<ReadonlyArray<Registrant>>, SourceUnavailable>
  readonly form4: (
    cik: number,
    submission: Submission
  ) => Effect.Effect<SourceResponse<typeof Form4.Type>, SourceUnavailable>
}>()("@tapeline/market-live/EdgarArchives") {}

const tickerColumn = 2

const Companies = Schema.Struct({
  fields: Schema.Tuple([
    Schema.Literal("cik"),
    Schema.Literal("name"),
    Schema.Literal("ticker"),
    Schema.Literal("exchange")
  ]),
  data: lenientList(
    Schema.Tuple([
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9_999_999_999 })),
      Name,
      Name,
      Schema.NullOr(Name)
    ]),
    tickerColumn
  )
})

/** Converts EDGAR's form of a ticker (`BRK-B`) to the form of the exchange (`BRK.B`). */
export const marketSymbol = (ticker: string): string => ticker.replaceAll("-", ".")

/** The exchanges by their names at EDGAR. EDGAR's `NYSE` includes NYSE Arca and NYSE American. */
const exchanges: Readonly<Record<string, EquityExchange>> = { Nasdaq: "NASDAQ", NYSE: "NYSE", CBOE: "Cboe BZX" }

const toRegistrants = ({ data }: typeof Companies.Type): ReadonlyArray<Registrant> => {
  const found = new Map<string, Registrant>()
  for (const [cik, name, ticker, exchangeName] of data) {
    const exchange = exchanges[exchangeName ?? ""]
    const symbol = marketSymbol(ticker)
    if (exchange !== undefined) found.set(symbol, { cik, symbol, name, exchange })
  }
  return [...found.values()].toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))
}

/**
 * Returns the path of a filing's XML document. EDGAR lists the path of the rendered page, such as
 * `xslF345X05/form4.xml`.
 */
const documentPath = ({ document }: Submission): string =>
  document.replace(/^xsl[^/]*\//u, "").split("/").map(encodeURIComponent).join("/")

const make = (source: Source): EdgarArchives["Service"] => ({
  registrants: Effect.map(
    source.json({
      label: "tickers",
      path: "/files/company_tickers_exchange.json",
      schema: Companies,
      cacheMs: dayMs / 4
    }),
    (answer) => withValue(answer, toRegistrants(answer.value))
  ),
  form4: (cik, submission) =>
    source.parsed({
      label: "form 4",
      path: `/Archives/edgar/data/${cik}/${submission.accession.replaceAll("-", "")}/${documentPath(submission)}`,
      parse: parseForm4,
      schema: Form4,
      maxBytes: 4 * 1024 * 1024,
      // A filed document never changes.
      cacheMs: dayMs
    })
})

export const layerEdgarArchives = (
  { baseUrl = "https://www.sec.gov", contact, retryPolicy = {} }: EdgarOptions = {}
): Layer.Layer<EdgarArchives, never, SourceHealth> =>
  contact === undefined
    ? Layer.succeed(EdgarArchives, { registrants: noContactError, form4: () => noContactError })
    : Layer.effect(
      EdgarArchives,
      Effect.map(
        makeSource({
          name: edgarName,
          part: "archives",
          baseUrl,
          limits: archiveLimits,
          rateLimit403: edgarRateLimit403,
          headers: headersOf(contact),
          retryPolicy
        }),
        make
      )
    )
