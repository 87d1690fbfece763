/**
 * When filings were accepted. EDGAR writes `2026-05-01T16:21:59.000Z` for all of them, and of some companies that is
 * UTC, of others the clock of New York with a `Z` behind it: of one company always the same. Nothing in the text says
 * which; what EDGAR takes, and when, does.
 */
import { dayMs, hourMs, localDay, newYorkOffset } from "@tapeline/core/market"
import { beginsAt } from "./dates.ts"

export interface Accepted {
  readonly form: string
  /** The date that EDGAR gave the filing, as its midnight in UTC. */
  readonly filedOn: number
  /** What it wrote, read as UTC; null where it wrote nothing. */
  readonly written: number | null
}

/** It takes filings from six to ten in the evening. */
const opensAt = 6
const closesAt = 22.1
/** What comes after half past five is of the next working day; insiders' reports are of the same day until ten. */
const lastOfDay = 17.5
const untilTen = /^[345](\/A)?$/u

/** Read as the clock of New York. */
const asNewYork = (written: number): number => written + newYorkOffset(Math.floor(written / dayMs)) * hourMs

const isPossible = ({ filedOn, form }: Accepted, time: number): boolean => {
  const date = localDay("US", time) * dayMs
  const hours = (time - beginsAt(date)) / hourMs
  if (hours < opensAt || hours > closesAt || date > filedOn) return false
  return untilTen.test(form) || (hours > lastOfDay) === (date < filedOn)
}

/**
 * The instants of a company's filings, in their order; null where none was written. Where both ways fit as well, the
 * later one is told, by which everybody could know.
 */
export const acceptedAt = (filings: ReadonlyArray<Accepted>): ReadonlyArray<number | null> => {
  const impossible = (read: (written: number) => number): number =>
    filings.filter((filing) => filing.written !== null && !isPossible(filing, read(filing.written))).length
  const asUtc = (written: number): number => written
  const read = impossible(asUtc) < impossible(asNewYork) ? asUtc : asNewYork
  return filings.map(({ written }) => written === null ? null : read(written))
}
