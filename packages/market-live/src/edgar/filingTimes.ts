import { dayMs, hourMs, localDay, newYorkOffset } from "@tapeline/core/market"
import { Schema, SchemaTransformation } from "effect"

const isDate = (text: string): boolean => !Number.isNaN(Date.parse(text))

/** A date of any year, because filings mention old dates; decoded to its midnight in UTC. */
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

/** The time at which a date begins in New York. */
export const startOfNewYorkDay = (date: number): number => date + newYorkOffset(date / dayMs) * hourMs

/** The last millisecond of a date in New York. */
export const endOfNewYorkDay = (date: number): number => startOfNewYorkDay(date + dayMs) - 1

/**
 * The acceptance times of filings. EDGAR writes all of them as `2026-05-01T16:21:59.000Z`. For some companies this is
 * UTC, for others New York time in spite of the `Z`. It is the same for all filings of one company. The text does not
 * show which, so it is derived from EDGAR's opening hours and filing dates.
 */

export interface FilingTime {
  readonly form: string
  /** EDGAR's filing date, as its midnight in UTC. */
  readonly filedOn: number
  /** The written time, read as UTC; null if it is missing. */
  readonly written: number | null
}

/** EDGAR accepts filings from 6:00 to 22:00. */
const openingHour = 6
const closingHour = 22.1
/**
 * A filing after 17:30 gets the date of the next working day. Insiders' reports get the same day's date until 22:00.
 */
const sameDayCutoffHour = 17.5
const lateFilingForms = /^[345](\/A)?$/u

/** Reads a written time as New York time. */
const asNewYork = (written: number): number => written + newYorkOffset(Math.floor(written / dayMs)) * hourMs

const isPossible = ({ filedOn, form }: FilingTime, time: number): boolean => {
  const date = localDay("US", time) * dayMs
  const hours = (time - startOfNewYorkDay(date)) / hourMs
  if (hours < openingHour || hours > closingHour || date > filedOn) return false
  return lateFilingForms.test(form) || (hours > sameDayCutoffHour) === (date < filedOn)
}

/**
 * The acceptance times of a company's filings, in their order; null if a time is missing. If both readings are equally
 * plausible, New York time is used. It is the later one, when the filing was certainly public.
 */
export const inferAcceptanceTimes = (filings: ReadonlyArray<FilingTime>): ReadonlyArray<number | null> => {
  const countImpossible = (read: (written: number) => number): number =>
    filings.filter((filing) => filing.written !== null && !isPossible(filing, read(filing.written))).length
  const asUtc = (written: number): number => written
  const read = countImpossible(asUtc) < countImpossible(asNewYork) ? asUtc : asNewYork
  return filings.map(({ written }) => written === null ? null : read(written))
}
