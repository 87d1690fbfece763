/** The trading hours of index futures, where US holidays count as ordinary days, because Chicago is open. */
import {
  dayMs,
  type EquityCountry,
  hourMs,
  isTradingDay,
  localDay,
  newYorkOffset,
  weekday
} from "@tapeline/core/market"

const friday = 5

/** A trading session of index futures, up to a requested time. */
interface FuturesSession {
  readonly startAt: number
  /** The requested time, or the end of the session if the session has ended. */
  readonly time: number
}

/**
 * Returns the trading session of index futures in Chicago. A session lasts from 18:00 to 17:00 of the next day in New
 * York, from Sunday to Friday.
 */
const getChicagoSession = (time: number): FuturesSession => {
  const today = localDay("US", time)
  const toTime = (day: number, hour: number): number => day * dayMs + (hour + newYorkOffset(day)) * hourMs
  const makeSession = (day: number): FuturesSession => ({
    startAt: toTime(day - 1, 18),
    time: Math.min(time, toTime(day, 17))
  })
  const daysSinceFriday = (weekday(today) - friday + 7) % 7
  const isEvening = time >= toTime(today, 18)
  if (daysSinceFriday === 1 || (daysSinceFriday === 2 && !isEvening)) return makeSession(today - daysSinceFriday)
  return makeSession(isEvening && daysSinceFriday !== 0 ? today + 1 : today)
}

/** Returns the trading session in Seoul: 08:45 to 15:45, or 18:00 to 06:00 in the night after a trading day. */
const getSeoulSession = (time: number): FuturesSession => {
  for (let day = localDay("KR", time);; day--) {
    if (!isTradingDay("KR", day)) continue
    const midnight = day * dayMs - 9 * hourMs
    for (const [from, to] of [[18, 30], [8.75, 15.75]] as const) {
      const startAt = midnight + from * hourMs
      if (time >= startAt) return { startAt, time: Math.min(time, midnight + to * hourMs) }
    }
  }
}

export const getFuturesSession = (country: EquityCountry, time: number): FuturesSession =>
  country === "US" ? getChicagoSession(time) : getSeoulSession(time)
