import { Effect } from "effect"
import { nthWeekday } from "../../market/calendar/dates.ts"
import { isTradingDay, localDay } from "../../market/calendar/sessions.ts"
import { type MarketError, NoData } from "../../market/errors.ts"
import type { OptionChain, OptionExpiry } from "../../market/option.ts"
import type { OptionsVenue } from "../../market/OptionsVenue.ts"
import type { Reading } from "../../market/reading.ts"
import { dayMs, weekMs } from "../../market/timeframe.ts"

export const yearMs = 365 * dayMs

export const formatExpiryDate = (expiryAt: number): string => new Date(expiryAt).toISOString().slice(0, 10)

export const getDaysUntil = (expiryAt: number, time: number): number => (expiryAt - time) / dayMs

/** Returns whether an expiry is on the last Friday of a month, when monthly options on coins expire. */
export const isLastFriday = (expiryAt: number): boolean =>
  new Date(expiryAt).getUTCDay() === 5 &&
  new Date(expiryAt + weekMs).getUTCMonth() !== new Date(expiryAt).getUTCMonth()

/** The target maturity of the default expiry, in days. */
const defaultExpiryDays = 30

/** Returns the monthly expiry nearest to 30 days, or the nearest of all expiries if no monthly expiry is listed. */
export const findDefaultExpiry = (
  { expiries, time }: OptionChain,
  isMonthly: (expiryAt: number) => boolean = isLastFriday
): OptionExpiry | undefined => {
  const monthly = expiries.filter(({ expiryAt }) => isMonthly(expiryAt))
  const distance = ({ expiryAt }: OptionExpiry): number => Math.abs(getDaysUntil(expiryAt, time) - defaultExpiryDays)
  return (monthly.length > 0 ? monthly : expiries).reduce<OptionExpiry | undefined>(
    (best, expiry) => best === undefined || distance(expiry) < distance(best) ? expiry : best,
    undefined
  )
}

/**
 * Returns the expiry on a date, or the default expiry if no date is requested. Fails with `NoData` and the available
 * dates if no expiry exists on the date.
 */
export const findExpiry = (
  chain: OptionChain,
  date: string | undefined,
  isMonthly?: (expiryAt: number) => boolean
): Effect.Effect<OptionExpiry, NoData> => {
  const found = date === undefined
    ? findDefaultExpiry(chain, isMonthly)
    : chain.expiries.find(({ expiryAt }) => formatExpiryDate(expiryAt) === date)
  if (found !== undefined) return Effect.succeed(found)
  const symbol = chain.underlying
  const subject = `${symbol} options of ${date ?? "any date"}`
  const listed = chain.expiries.map(({ expiryAt }) => formatExpiryDate(expiryAt)).join(", ")
  return Effect.fail(
    new NoData({
      subject,
      reason: date === undefined || listed === ""
        ? { key: "none_recorded", params: { symbol: `${symbol} options` } }
        : { key: "none_on_expiry", params: { symbol, expiry: date, listed } }
    })
  )
}

export const readExpiry = (
  venue: OptionsVenue["Service"],
  coin: string,
  date: string | undefined
): Effect.Effect<{ readonly read: Reading<OptionChain>; readonly expiry: OptionExpiry }, MarketError> =>
  Effect.flatMap(
    venue.chain({ coin }),
    (read) => Effect.map(findExpiry(read.value, date), (expiry) => ({ read, expiry }))
  )

const friday = 5

/** Returns whether an expiry is on the third Friday of a month, or on the day before if that Friday is a holiday. */
export const isThirdFriday = (expiryAt: number): boolean => {
  const day = localDay("US", expiryAt)
  const date = new Date(day * dayMs)
  const third = nthWeekday(date.getUTCFullYear(), date.getUTCMonth() + 1, friday, 3)
  return day === third || (day === third - 1 && !isTradingDay("US", third))
}
