import { minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Clock, Context, Effect, Layer } from "effect"
import { type Answer, answering, makeSource, type Source, SourceHealth } from "../../source/index.ts"
import { absent, dataLimits, edgar, edgarLimits403, type EdgarOptions, headersOf } from "./edgarSource.ts"
import { CompanyFacts, factsOf } from "./facts.ts"
import { type Submission, Submissions, submissionsOf } from "./submissions.ts"

/** `data.sec.gov`: what a company filed, and the figures in it, by its number (CIK). */
export class EdgarData extends Context.Service<EdgarData, {
  /** Its newest filings, and those about it: a year of them at least. */
  readonly submissions: (cik: number) => Effect.Effect<Answer<ReadonlyArray<Submission>>, SourceUnavailable>
  /** Null of who states no figures: a fund, a trust. */
  readonly facts: (cik: number) => Effect.Effect<Answer<CompanyFacts | null>, SourceUnavailable>
}>()("@tapeline/market-live/EdgarData") {}

/** Figures of a large bank are some 15 MB. */
const mostBytes = 48 * 1024 * 1024

const numberOf = (cik: number): string => String(cik).padStart(10, "0")

/** Nothing has this address: a document of the store behind it, which is no JSON. */
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
