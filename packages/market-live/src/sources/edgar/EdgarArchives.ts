import { dayMs, type EquityExchange, type SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import { type Answer, answering, listOf, makeSource, Name, type Source, SourceHealth } from "../../source/index.ts"
import { absent, archiveLimits, edgar, edgarLimits403, type EdgarOptions, headersOf } from "./edgarSource.ts"
import { Form4, form4Of } from "./insiders.ts"
import type { Submission } from "./submissions.ts"

/** A listed company, with its ticker in the form that its market uses. */
export interface Registrant {
  readonly cik: number
  readonly symbol: string
  readonly name: string
  readonly exchange: EquityExchange
}

/** The host `www.sec.gov`: listed companies, and the filings themselves. */
export class EdgarArchives extends Context.Service<EdgarArchives, {
  /** The companies that are listed on US exchanges, by ticker. */
  readonly registrants: Effect.Effect<Answer<ReadonlyArray<Registrant>>, SourceUnavailable>
  readonly form4: (
    cik: number,
    submission: Submission
  ) => Effect.Effect<Answer<typeof Form4.Type>, SourceUnavailable>
}>()("@tapeline/market-live/EdgarArchives") {}

const tickerColumn = 2

/** A table with its column names. */
const Companies = Schema.Struct({
  fields: Schema.Tuple([
    Schema.Literal("cik"),
    Schema.Literal("name"),
    Schema.Literal("ticker"),
    Schema.Literal("exchange")
  ]),
  data: listOf(
    Schema.Tuple([
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9_999_999_999 })),
      Name,
      Name,
      Schema.NullOr(Name)
    ]),
    tickerColumn
  )
})

/** Converts EDGAR's form of a ticker (`BRK-B`) to that of its market. */
export const symbolOf = (ticker: string): string => ticker.replaceAll("-", ".")

/**
 * The exchanges. EDGAR does not distinguish NYSE Arca and NYSE American from NYSE. Over-the-counter companies are
 * skipped.
 */
const exchanges: Readonly<Record<string, EquityExchange>> = { Nasdaq: "NASDAQ", NYSE: "NYSE", CBOE: "Cboe BZX" }

const registrantsOf = ({ data }: typeof Companies.Type): ReadonlyArray<Registrant> => {
  const found = new Map<string, Registrant>()
  for (const [cik, name, ticker, told] of data) {
    const exchange = exchanges[told ?? ""]
    const symbol = symbolOf(ticker)
    if (exchange !== undefined) found.set(symbol, { cik, symbol, name, exchange })
  }
  return [...found.values()].toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))
}

/** The path of the XML document itself, instead of the page that is rendered from it (`xslF345X05/form4.xml`). */
const documentOf = ({ document }: Submission): string =>
  document.replace(/^xsl[^/]*\//u, "").split("/").map(encodeURIComponent).join("/")

const make = (source: Source): EdgarArchives["Service"] => ({
  registrants: Effect.map(
    source.json({
      what: "tickers",
      path: "/files/company_tickers_exchange.json",
      schema: Companies,
      cacheMs: dayMs / 4
    }),
    (answer) => answering(answer, registrantsOf(answer.value))
  ),
  form4: (cik, submission) =>
    source.parsed({
      what: "form 4",
      path: `/Archives/edgar/data/${cik}/${submission.accession.replaceAll("-", "")}/${documentOf(submission)}`,
      parse: form4Of,
      schema: Form4,
      maxBytes: 4 * 1024 * 1024,
      // A filed document does not change.
      cacheMs: dayMs
    })
})

export const layerEdgarArchives = (
  { baseUrl = "https://www.sec.gov", contact, patience = {} }: EdgarOptions = {}
): Layer.Layer<EdgarArchives, never, SourceHealth> =>
  contact === undefined
    ? Layer.succeed(EdgarArchives, { registrants: absent, form4: () => absent })
    : Layer.effect(
      EdgarArchives,
      Effect.map(
        makeSource({
          name: edgar,
          part: "archives",
          baseUrl,
          limits: archiveLimits,
          limitedBy403: edgarLimits403,
          headers: headersOf(contact),
          patience
        }),
        make
      )
    )
