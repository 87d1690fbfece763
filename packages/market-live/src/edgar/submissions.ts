import { Schema } from "effect"
import { InstantMs } from "../source/index.ts"
import { endOfNewYorkDay, FactDate, inferAcceptanceTimes } from "./filingTimes.ts"

/** A filing by a company, or about a company. */
export interface Submission {
  /** The filing's accession number, such as `0000320193-26-000007`. */
  readonly accession: string
  readonly form: string
  readonly filedAt: number
  /** The main document of the filing, or empty for a filing on paper. */
  readonly document: string
}

const WrittenTime = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/u, { expected: "an instant" }),
  Schema.makeFilter((text) => InstantMs.pipe(Schema.is)(Date.parse(text)), { expected: "an instant" })
)
const columns = ["filingDate", "acceptanceDateTime", "form", "primaryDocument"] as const

/** The newest thousand filings or the filings of one year, as columns of equal length. */
const Recent = Schema.Struct({
  accessionNumber: Schema.Array(
    Schema.String.check(Schema.isPattern(/^\d{10}-\d\d-\d{6}$/u, { expected: "an accession number" }))
  ),
  filingDate: Schema.Array(FactDate),
  acceptanceDateTime: Schema.Array(Schema.Union([Schema.Literal(""), WrittenTime])),
  form: Schema.Array(
    Schema.String.check(Schema.isPattern(/^[A-Z0-9][A-Z0-9 ./-]{0,30}$/u, { expected: "the name of a form" }))
  ),
  primaryDocument: Schema.Array(
    Schema.String.check(Schema.isPattern(/^[^\p{Cc}\p{Cs}]{0,200}$/u, { expected: "the name of a document" }))
  )
}).check(
  Schema.makeFilter((recent) => columns.every((name) => recent[name].length === recent.accessionNumber.length), {
    expected: "columns of one length"
  })
)

export const Submissions = Schema.Struct({ filings: Schema.Struct({ recent: Recent }) })

export const toSubmissions = ({ filings: { recent } }: typeof Submissions.Type): ReadonlyArray<Submission> => {
  const rows = recent.accessionNumber.map((accession, i) => {
    const text = recent.acceptanceDateTime[i]!
    return {
      accession,
      form: recent.form[i]!,
      document: recent.primaryDocument[i]!,
      filedOn: recent.filingDate[i]!,
      written: text === "" ? null : Date.parse(text)
    }
  })
  const accepted = inferAcceptanceTimes(rows)
  return rows.map(({ accession, document, filedOn, form }, i) => ({
    accession,
    form,
    document,
    filedAt: accepted[i] ?? endOfNewYorkDay(filedOn)
  }))
}
