import { localDay } from "../../market/calendar/sessions.ts"
import type { EquityCountry } from "../../market/instrument.ts"
import { dayMs } from "../../market/timeframe.ts"

/** The date of an instant where a country's exchange is, `YYYY-MM-DD`. */
export const localDate = (country: EquityCountry, time: number): string =>
  new Date(localDay(country, time) * dayMs).toISOString().slice(0, 10)
