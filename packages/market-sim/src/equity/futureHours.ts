/**
 * When index futures trade: around the clock but for an hour a day and the weekend in Chicago, in a day and a night
 * session in Seoul. Holidays of New York, on which Chicago trades for a few hours, count as other days.
 */
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

/** The last instant up to `time` at which the futures in Chicago traded; hours are New York's. */
const inChicago = (time: number): number => {
  const today = localDay("US", time)
  const at = (day: number, hour: number): number => day * dayMs + (hour + newYorkOffset(day)) * hourMs
  const daysSinceFriday = (weekday(today) - friday + 7) % 7
  if (daysSinceFriday === 1 || (daysSinceFriday === 2 && time < at(today, 18))) return at(today - daysSinceFriday, 17)
  if (time < at(today, 17) || (daysSinceFriday !== 0 && time >= at(today, 18))) return time
  return at(today, 17)
}

/** The same in Seoul: from 08:45 to 15:45, and from 18:00 to 06:00 of the night after a trading day. */
const inSeoul = (time: number): number => {
  for (let day = localDay("KR", time);; day--) {
    if (!isTradingDay("KR", day)) continue
    const midnight = day * dayMs - 9 * hourMs
    for (const [from, to] of [[18, 30], [8.75, 15.75]] as const) {
      if (time >= midnight + from * hourMs) return Math.min(time, midnight + to * hourMs)
    }
  }
}

/** The last instant up to `time` at which a country's index futures traded. */
export const futuresTime = (country: EquityCountry, time: number): number =>
  country === "US" ? inChicago(time) : inSeoul(time)
