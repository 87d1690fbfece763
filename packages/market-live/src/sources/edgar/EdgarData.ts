import { minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Context, Effect, Layer } from "effect"
import { type Answer, answering, makeSource, type Source, SourceHealth } from "../../source/index.ts"
import { absent, dataLimits, edgar, edgarLimits403, type EdgarOptions, headersOf } from "./edgarSource.ts"
import { CompanyFacts, factsOf } from "./facts.ts"
import { type Submission, Submissions, submissionsOf } from "./submissions.ts"

/** The host `data.sec.gov`: a company's filings, and the figures in them, by its number (CIK). */
export class EdgarData extends Context.Service<EdgarData, {
  /** The newest filings by the company and about it: at least one year of them. */
  readonly submissions: (cik: number) => Effect.Effect<Answer<ReadonlyArray<Submission>>, SourceUnavailable>
  /** The figures of a company; null for one without any, such as a fund or a trust. */
  readonly facts: (cik: number) => Effect.Effect<Answer<CompanyFacts | null>, SourceUnavailable>
}>()("@tapeline/market-live/EdgarData") {}

/** The figures of a large bank have about 15 MB. */
const mostBytes = 48 * 1024 * 1024

const numberOf = (cik: number): string => String(cik).padStart(10, "0")

/** Whether the address does not exist. The storage behind it then returns a document that is not JSON. */
const isNothing = (body: unknown, status: number): boolean =>
  status === 404 && typeof body === "string" && body.includes("NoSuchKey")

const make = (source: Source): EdgarData["Service"] => ({
  submissions: (cik) =>
    Effect.map(
      source.json({
        what: "submissions",
        path: `/submissions/CIK${numberOf(cik)}.json`,
        schema: Submissions,
        maxBytes: 16 * 1024 * 1024,
        cacheMs: minuteMs
      }),
      (answer) => answering(answer, submissionsOf(answer.value))
    ),
  facts: (cik) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      source.find({
        what: "company facts",
        path: `/api/xbrl/companyfacts/CIK${numberOf(cik)}.json`,
        parse: factsOf(now),
        schema: CompanyFacts,
        absent: isNothing,
        maxBytes: mostBytes,
        cacheMs: 5 * minuteMs
      }))
})

export const layerEdgarData = (
  { baseUrl = "https://data.sec.gov", contact, patience = {} }: EdgarOptions = {}
): Layer.Layer<EdgarData, never, SourceHealth> =>
  contact === undefined
    ? Layer.succeed(EdgarData, { submissions: () => absent, facts: () => absent })
    : Layer.effect(
      EdgarData,
      Effect.map(
        makeSource({
          name: edgar,
          part: "data",
          baseUrl,
          limits: dataLimits,
          limitedBy403: edgarLimits403,
          headers: headersOf(contact),
          patience
        }),
        make
      )
    )
