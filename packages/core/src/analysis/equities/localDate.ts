import { localDay } from "../../market/calendar/sessions.ts"
import type { EquityCountry } from "../../market/instrument.ts"
import { dayMs } from "../../market/timeframe.ts"

/** Formats a time as the local date at a country's stock exchange, in the form `YYYY-MM-DD`. */
export const formatLocalDate = (country: EquityCountry, time: number): string =>
  new Date(localDay(country, time) * dayMs).toISOString().slice(0, 10)
