import { localDay } from "../../market/calendar/sessions.ts"
import type { EquityCountry } from "../../market/instrument.ts"
import { dayMs } from "../../market/timeframe.ts"

/** Returns the local date `YYYY-MM-DD` at a country's exchange. */
export const formatLocalDate = (country: EquityCountry, time: number): string =>
  new Date(localDay(country, time) * dayMs).toISOString().slice(0, 10)
