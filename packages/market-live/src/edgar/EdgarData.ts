import { minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Context, Effect, Layer } from "effect"
import { makeSource, type Source, SourceHealth, type SourceResponse, withValue } from "../source/index.ts"
import { CompanyFacts, extractFacts } from "./companyFacts.ts"
import {
  dataLimits,
  edgarName,
  type EdgarOptions,
  edgarRateLimit403,
  headersOf,
  noContactError
} from "./edgarSource.ts"
import { type Submission, Submissions, toSubmissions } from "./submissions.ts"

/** EDGAR's host `data.sec.gov`, which serves a company's filings and their figures by company number (CIK). */
export class EdgarData extends Context.Service<EdgarData, {
  /** Fetches the newest filings by and about a company, for at least one year. */
  readonly submissions: (cik: number) => Effect.Effect<SourceResponse<ReadonlyArray<Submission>>, SourceUnavailable>
  /** Fetches the figures of a company, or null for a company without figures, such as a fund or a trust. */
  readonly facts: (cik: number) => Effect.Effect<SourceResponse<CompanyFacts | null>, SourceUnavailable>
}>()("@tapeline/market-live/EdgarData") {}

/** The maximum response size in bytes; the figures of a large bank have about 15 MB. */
const maxBytes = 48 * 1024 * 1024

const padCik = (cik: number): string => String(cik).padStart(10, "0")

/**
 * Returns whether the requested file does not exist. For a file that does not exist, EDGAR responds with a text that is
 * not JSON.
 */
const isNotFound = (body: unknown, status: number): boolean =>
  status === 404 && typeof body === "string" && body.includes("NoSuchKey")

const make = (source: Source): EdgarData["Service"] => ({
  submissions: (cik) =>
    Effect.map(
      source.json({
        label: "submissions",
        path: `/submissions/CIK${padCik(cik)}.json`,
        schema: Submissions,
        maxBytes: 16 * 1024 * 1024,
        cacheMs: minuteMs
      }),
      (answer) => withValue(answer, toSubmissions(answer.value))
    ),
  facts: (cik) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      source.find({
        label: "company facts",
        path: `/api/xbrl/companyfacts/CIK${padCik(cik)}.json`,
        parse: extractFacts(now),
        schema: CompanyFacts,
        isAbsent: isNotFound,
        maxBytes,
        cacheMs: 5 * minuteMs
      }))
})

export const layerEdgarData = (
  { baseUrl = "https://data.sec.gov", contact, retryPolicy = {} }: EdgarOptions = {}
): Layer.Layer<EdgarData, never, SourceHealth> =>
  contact === undefined
    ? Layer.succeed(EdgarData, { submissions: () => noContactError, facts: () => noContactError })
    : Layer.effect(
      EdgarData,
      Effect.map(
        makeSource({
          name: edgarName,
          part: "data",
          baseUrl,
          limits: dataLimits,
          rateLimit403: edgarRateLimit403,
          headers: headersOf(contact),
          retryPolicy
        }),
        make
      )
    )
