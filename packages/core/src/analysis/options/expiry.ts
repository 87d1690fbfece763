/**
 * Expiries by date, as arguments and results have them, and the one that is meant when none is named.
 */
import { Effect } from "effect"
import { type MarketError, NoData } from "../../market/errors.ts"
import type { OptionChain, OptionExpiry } from "../../market/option.ts"
import type { OptionsVenue } from "../../market/OptionsVenue.ts"
import type { Reading } from "../../market/reading.ts"
import { dayMs, weekMs } from "../../market/timeframe.ts"

export const yearMs = 365 * dayMs

/** The date (UTC) on which an expiry falls. */
export const expiryDate = (expiryAt: number): string => new Date(expiryAt).toISOString().slice(0, 10)

/** Days until an expiry, act/365. */
export const daysUntil = (expiryAt: number, time: number): number => (expiryAt - time) / dayMs

/** Where coins' monthly options expire: on the last Friday of a month. */
export const isLastFriday = (expiryAt: number): boolean =>
  new Date(expiryAt).getUTCDay() === 5 &&
  new Date(expiryAt + weekMs).getUTCMonth() !== new Date(expiryAt).getUTCMonth()

/** Where no expiry is named, a monthly one about as far off as volatility indices look. */
const usualDays = 30

/** The monthly expiry nearest to 30 days; of all of them where no monthly one is listed. */
export const usualExpiry = (
  { expiries, time }: OptionChain,
  isMonthly: (expiryAt: number) => boolean = isLastFriday
): OptionExpiry | undefined => {
  const monthly = expiries.filter(({ expiryAt }) => isMonthly(expiryAt))
  const distance = ({ expiryAt }: OptionExpiry): number => Math.abs(daysUntil(expiryAt, time) - usualDays)
  return (monthly.length > 0 ? monthly : expiries).reduce<OptionExpiry | undefined>(
    (best, expiry) => best === undefined || distance(expiry) < distance(best) ? expiry : best,
    undefined
  )
}

/** The expiry of a date, or the usual one; `NoData` that names the listed dates where there is none. */
export const findExpiry = (
  chain: OptionChain,
  date: string | undefined,
  isMonthly?: (expiryAt: number) => boolean
): Effect.Effect<OptionExpiry, NoData> => {
  const found = date === undefined
    ? usualExpiry(chain, isMonthly)
    : chain.expiries.find(({ expiryAt }) => expiryDate(expiryAt) === date)
  if (found !== undefined) return Effect.succeed(found)
  const symbol = chain.underlying
  const subject = `${symbol} options of ${date ?? "any date"}`
  const listed = chain.expiries.map(({ expiryAt }) => expiryDate(expiryAt)).join(", ")
  return Effect.fail(
    new NoData({
      subject,
      reason: date === undefined || listed === ""
        ? { key: "none_recorded", params: { symbol: `${symbol} options` } }
        : { key: "none_on_expiry", params: { symbol, expiry: date, listed } }
    })
  )
}

/** A coin's whole chain, and of it one expiry. */
export const readExpiry = (
  venue: OptionsVenue["Service"],
  coin: string,
  date: string | undefined
): Effect.Effect<{ readonly read: Reading<OptionChain>; readonly expiry: OptionExpiry }, MarketError> =>
  Effect.flatMap(
    venue.chain({ coin }),
    (read) => Effect.map(findExpiry(read.value, date), (expiry) => ({ read, expiry }))
  )
