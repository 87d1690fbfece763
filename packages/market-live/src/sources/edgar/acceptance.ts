/**
 * The acceptance times of filings. EDGAR writes all of them as `2026-05-01T16:21:59.000Z`. For some companies this is
 * UTC, for others New York time in spite of the `Z`. It is the same for all filings of one company. The text does not
 * show which, so it is derived from EDGAR's opening hours and filing dates.
 */
import { dayMs, hourMs, localDay, newYorkOffset } from "@tapeline/core/market"
import { beginsAt } from "./dates.ts"

export interface Accepted {
  readonly form: string
  /** EDGAR's filing date, as its midnight in UTC. */
  readonly filedOn: number
  /** The written time, read as UTC; null if it is missing. */
  readonly written: number | null
}

/** EDGAR accepts filings from 6:00 to 22:00. */
const opensAt = 6
const closesAt = 22.1
/**
 * A filing after 17:30 gets the date of the next working day. Insiders' reports get the same day's date until 22:00.
 */
const lastOfDay = 17.5
const untilTen = /^[345](\/A)?$/u

/** Reads a written time as New York time. */
const asNewYork = (written: number): number => written + newYorkOffset(Math.floor(written / dayMs)) * hourMs

const isPossible = ({ filedOn, form }: Accepted, time: number): boolean => {
  const date = localDay("US", time) * dayMs
  const hours = (time - beginsAt(date)) / hourMs
  if (hours < opensAt || hours > closesAt || date > filedOn) return false
  return untilTen.test(form) || (hours > lastOfDay) === (date < filedOn)
}

/**
 * The acceptance times of a company's filings, in their order; null if a time is missing. If both readings are equally
 * plausible, New York time is used. It is the later one, when the filing was certainly public.
 */
export const acceptedAt = (filings: ReadonlyArray<Accepted>): ReadonlyArray<number | null> => {
  const impossible = (read: (written: number) => number): number =>
    filings.filter((filing) => filing.written !== null && !isPossible(filing, read(filing.written))).length
  const asUtc = (written: number): number => written
  const read = impossible(asUtc) < impossible(asNewYork) ? asUtc : asNewYork
  return filings.map(({ written }) => written === null ? null : read(written))
}
