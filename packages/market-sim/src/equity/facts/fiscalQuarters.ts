import {
  dayMs,
  dayNumber,
  type EquityCountry,
  hourMs,
  localDay,
  minuteMs,
  nextSession,
  type TradingSession
} from "@tapeline/core/market"
import { deriveKey, drawInteger, drawUniform, type Key } from "../../kernel/random.ts"
import type { StockSpec } from "../stockSpec.ts"
import type { FiscalQuarter } from "../valuation.ts"

/** A calendar quarter, as the number of quarters since year 0. All simulated companies report by calendar quarter. */
export type Quarter = number

export const getQuarter = (time: number): Quarter => {
  const date = new Date(time)
  return date.getUTCFullYear() * 4 + Math.floor(date.getUTCMonth() / 3)
}

export const getYear = (quarter: Quarter): number => Math.floor(quarter / 4)
/** Returns the number of a quarter within its year, from 1 to 4. */
export const getQuarterNumber = (quarter: Quarter): number => quarter % 4 + 1
export const formatQuarter = (quarter: Quarter): string => `${getYear(quarter)}Q${getQuarterNumber(quarter)}`

export const getQuarterEnd = (quarter: Quarter): number =>
  dayNumber(getYear(quarter), 3 * getQuarterNumber(quarter) + 1, 1) * dayMs - 1

export const getFiscalQuarter = (quarter: Quarter): FiscalQuarter => ({
  year: getYear(quarter),
  quarter: getQuarterNumber(quarter),
  endAt: getQuarterEnd(quarter)
})

export interface Announcement {
  readonly time: number
  readonly when: "before_open" | "after_close"
  /** The first session after the earnings announcement. */
  readonly session: TradingSession
}

/** Returns the days between the end of a quarter and a company's report; financial companies report first. */
const getReportingDelayDays = (spec: StockSpec, key: Key): number => {
  if (spec.sector === "financials") return 13 + drawInteger(key, 40, 16)
  return spec.sector.startsWith("consumer") ? 24 + drawInteger(key, 40, 36) : 20 + drawInteger(key, 40, 22)
}

/**
 * Returns the time at which a company announces its quarterly results, and the first session after the announcement.
 */
export const getAnnouncement = (spec: StockSpec, key: Key, quarter: Quarter): Announcement => {
  const end = getQuarterEnd(quarter)
  const day = Math.floor(end / dayMs) + getReportingDelayDays(spec, key) +
    drawInteger(deriveKey(key, quarter, 41), 0, 3)
  const session = nextSession(spec.country, day - 1)
  // Korean companies report after the close, and half of the US companies report before the opening.
  if (spec.country === "US" && drawUniform(key, 42) < 0.5) {
    return { time: session.openAt - 2 * hourMs - 30 * minuteMs, when: "before_open", session }
  }
  return { time: session.closeAt + 10 * minuteMs, when: "after_close", session: nextSession(spec.country, session.day) }
}

/** Returns the local date of a country's exchange at a time, as `YYYY-MM-DD`. */
export const formatLocalDate = (country: EquityCountry, time: number): string =>
  new Date(localDay(country, time) * dayMs).toISOString().slice(0, 10)

export const getLastReportedQuarter = (spec: StockSpec, key: Key, time: number): Quarter => {
  let quarter = getQuarter(time) - 1
  while (getAnnouncement(spec, key, quarter).time > time) quarter--
  return quarter
}
