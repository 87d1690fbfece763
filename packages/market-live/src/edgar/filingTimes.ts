import { dayMs, hourMs, localDay, newYorkOffset } from "@tapeline/core/market"
import { Schema, SchemaTransformation } from "effect"

const isDate = (text: string): boolean => !Number.isNaN(Date.parse(text))

/** Decodes a date to its midnight in UTC, in any year, because filings mention old dates. */
export const FactDate = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\d$/u, { expected: "a date" }),
  Schema.makeFilter(isDate, { expected: "a date" })
).pipe(
  Schema.decodeTo(
    Schema.Finite,
    SchemaTransformation.transform({
      decode: (text) => Date.parse(text),
      encode: (ms) => new Date(ms).toISOString().slice(0, 10)
    })
  )
)

export const startOfNewYorkDay = (date: number): number => date + newYorkOffset(date / dayMs) * hourMs

export const endOfNewYorkDay = (date: number): number => startOfNewYorkDay(date + dayMs) - 1

/**
 * Infers the acceptance times of filings. EDGAR marks every time as UTC (`Z`), but writes some companies' times in New
 * York time. The time zone of each company is inferred from EDGAR's opening hours and filing dates.
 */

export interface FilingTime {
  readonly form: string
  /** EDGAR's filing date, as midnight of the date in UTC. */
  readonly filedOn: number
  /** The acceptance time as written by EDGAR, parsed as UTC, or null if missing. */
  readonly written: number | null
}

/** The hours in New York between which EDGAR accepts filings: from 6:00 to 22:00, plus a margin. */
const openingHour = 6
const closingHour = 22.1
/**
 * The hour in New York after which a filing gets the date of the next working day: 17:30. The cutoff at 17:30 does not
 * apply to insiders' reports.
 */
const sameDayCutoffHour = 17.5
const lateFilingForms = /^[345](\/A)?$/u

const asNewYork = (written: number): number => written + newYorkOffset(Math.floor(written / dayMs)) * hourMs

const isPossible = ({ filedOn, form }: FilingTime, time: number): boolean => {
  const date = localDay("US", time) * dayMs
  const hours = (time - startOfNewYorkDay(date)) / hourMs
  if (hours < openingHour || hours > closingHour || date > filedOn) return false
  return lateFilingForms.test(form) || (hours > sameDayCutoffHour) === (date < filedOn)
}

/**
 * Returns the acceptance times of a company's filings in order, or null for a missing time. If UTC and New York time
 * are equally plausible, the later New York time is used.
 */
export const inferAcceptanceTimes = (filings: ReadonlyArray<FilingTime>): ReadonlyArray<number | null> => {
  const countImpossible = (read: (written: number) => number): number =>
    filings.filter((filing) => filing.written !== null && !isPossible(filing, read(filing.written))).length
  const asUtc = (written: number): number => written
  const read = countImpossible(asUtc) < countImpossible(asNewYork) ? asUtc : asNewYork
  return filings.map(({ written }) => written === null ? null : read(written))
}
