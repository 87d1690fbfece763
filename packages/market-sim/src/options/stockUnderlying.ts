/**
 * US stocks as underlyings of options. Expiries follow US practice: Fridays, third Fridays, Januaries. The surface is
 * based on the stock's realised volatility and the variance of future announcements.
 */
import {
  dayMs,
  hourMs,
  lastSession,
  localDay,
  nextSession,
  type OptionType,
  previousSession,
  sessionOf,
  weekday
} from "@tapeline/core/market"
import { announcementOf, lastReported } from "../equity/facts/fiscal.ts"
import { eventVariance } from "../equity/facts/results.ts"
import { dividendYieldPct, valuationKey } from "../equity/facts/statements.ts"
import type { Listed } from "../equity/listed.ts"
import { BoundedCache } from "../kernel/cache.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { derive } from "../kernel/random.ts"
import { nthWeekday } from "../macro/dates.ts"
import { policyRate } from "../macro/policy.ts"
import type { World } from "../world.ts"
import type { ExpiryKind, ListedExpiry } from "./listing.ts"
import { makeSurface, type SurfaceEvent, yearMs } from "./surface.ts"
import type { Morning, Underlying } from "./underlying.ts"

const multiplier = 100
const sessionsPerYear = 252
/** The number of sessions in the realised volatility. */
const realisedSessions = 21
const lifeDays: Readonly<Record<ExpiryKind, number>> = { daily: 7, weekly: 43, monthly: 190, quarterly: 560 }

/** The kind of expiry on a Friday. */
const kindOf = (friday: number): ExpiryKind => {
  const date = new Date(friday * dayMs)
  const month = date.getUTCMonth() + 1
  if (nthWeekday(date.getUTCFullYear(), month, 5, 3) !== friday) return "weekly"
  return month === 1 || month === 6 ? "quarterly" : "monthly"
}

/**
 * The expiries of US stock options that are listed and not expired at a time. An expiry is at the close of a Friday, or
 * of the last session before a Friday that is a holiday.
 */
const stockExpiries = (time: number): ReadonlyArray<ListedExpiry> => {
  const found: Array<ListedExpiry> = []
  const today = localDay("US", time)
  for (let friday = today + (5 - weekday(today) + 7) % 7; friday <= today + lifeDays.quarterly; friday += 7) {
    const kind = kindOf(friday)
    const session = sessionOf("US", friday) ?? previousSession("US", friday)
    const listedAt = (friday - lifeDays[kind]) * dayMs
    if (session.closeAt > time && listedAt <= time) found.push({ expiryAt: session.closeAt, listedAt, kind })
  }
  return found
}

/** The option's name in the options symbology: root, date, type, strike in thousandths. */
const instrumentName = (symbol: string, expiryAt: number, strike: number, type: OptionType): string => {
  const date = new Date(expiryAt).toISOString().slice(2, 10).replaceAll("-", "")
  return `${symbol}${date}${type === "call" ? "C" : "P"}${String(Math.round(strike * 1000)).padStart(8, "0")}`
}

/** Computes volatility and moves from a stock's past. */
const makePast = ({ market, spec }: Listed) => {
  const returns = new BoundedCache<number>(1_024)

  /** The squared log return of a session, close to close. The move of a result is excluded, since the event is over. */
  const squared = (closeAt: number, beforeAt: number): number =>
    returns.get(closeAt, () => (market.driftAt(closeAt) - market.driftAt(beforeAt)) ** 2)

  /** The annualised variance of the sessions that have closed by a time. */
  const realised = (time: number): number => {
    let session = lastSession("US", time)
    if (session.closeAt > time) session = previousSession("US", session.day)
    let sum = 0
    let weights = 0
    for (let i = 0, weight = 1; i < realisedSessions; i++, weight *= 0.94) {
      const before = previousSession("US", session.day)
      sum += weight * squared(session.closeAt, before.closeAt)
      weights += weight
      session = before
    }
    return sessionsPerYear * sum / weights
  }

  /** The move of a stock in a number of days, in its usual deviations, limited by tanh. */
  const came = (time: number, days: number): number =>
    Math.tanh(
      (market.pathAt(market.lastTradeAt(time)) - market.pathAt(market.lastTradeAt(time - days * dayMs)))
        / (spec.dailySd * Math.sqrt(days * sessionsPerYear / 365) * 1.5)
    )

  return { realised, came }
}

/** The usual annualised variance of a stock. */
const usualVariance = ({ spec }: Listed): number => spec.dailySd ** 2 * sessionsPerYear

/** Returns the surface at each time, from the realised volatility and the future announcements. */
const makeSurfaces = (
  world: World,
  listed: Listed,
  { came, realised }: ReturnType<typeof makePast>
): Underlying["surface"] => {
  const { market, spec } = listed
  const usual = usualVariance(listed)
  const noiseKey = world.key(`implied volatility ${spec.symbol}`)
  const valuation = valuationKey(world, spec)

  /** The next announcements that an expiry could contain. */
  const events = (time: number): ReadonlyArray<SurfaceEvent> => {
    const next = lastReported(spec, valuation, time) + 1
    return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => ({
      time: announcementOf(spec, valuation, next + i).time,
      variance: eventVariance * spec.dailySd ** 2
    }))
  }

  return (time) => {
    const noise = (stream: number, longestMs: number): number =>
      stationaryNoise(derive(noiseKey, stream, 0), market.lastTradeAt(time), hourMs, longestMs)
    const premium = 0.08 + 0.05 * noise(1, 16 * dayMs) - 0.05 * came(time, 7)
    return makeSurface({
      time,
      spotVariance: usual ** 0.4 * realised(time) ** 0.6 * Math.exp(2 * premium),
      longVariance: usual * Math.exp(2 * (0.06 + 0.05 * noise(2, 128 * dayMs))),
      speed: 9,
      rho: -0.34 + 0.15 * came(time, 7) + 0.06 * noise(3, 32 * dayMs),
      eta: 0.9 + 0.08 * noise(4, 64 * dayMs),
      events: events(time)
    })
  }
}

/** A US stock as the underlying of options, in shares of `now`. Earlier prices are scaled for later splits. */
export const stockUnderlying = (world: World, listed: Listed, now: number): Underlying => {
  const { spec, market } = listed
  const seen = market.shareFactor(now)
  const usual = usualVariance(listed)
  const mornings = new BoundedCache<Morning>(1_024)
  const yieldPct = dividendYieldPct(listed, now)
  const past = makePast(listed)
  // All quotes of a chain have the same time.
  const rates = new BoundedCache<number>(256)
  const rateAt = (time: number): number => rates.get(time, () => policyRate(world, "US", time))

  const spot = (time: number): number => Math.round(100 * market.price(time) * market.shareFactor(time) / seen) / 100

  return {
    symbol: spec.symbol,
    multiplier,
    key: world.key(`option trades ${spec.symbol}`),
    lot: multiplier,
    medianSize: 3 * multiplier,
    dailyTrades: Math.min(2_500, 250 + Math.round(spec.price * spec.shares / 1e9)),
    usualVolatility: Math.sqrt(usual),
    expiries: stockExpiries,
    spot,
    morning: (day) =>
      mornings.get(day, () => {
        const time = day * dayMs
        return {
          spot: spot(time),
          sigma: Math.sqrt(0.5 * usual + 0.5 * past.realised(time)),
          lean: past.came(time, 5)
        }
      }),
    activity: (day) => sessionOf("US", day) === undefined ? 0 : 1,
    hours: (day) => {
      const { closeAt, openAt } = sessionOf("US", day) ?? nextSession("US", day)
      return { from: openAt, to: closeAt }
    },
    volumeFrom: (time) => lastSession("US", time).openAt,
    surface: makeSurfaces(world, listed, past),
    forwardRatio: (time, expiryAt) => Math.exp((rateAt(time) - yieldPct) / 100 * (expiryAt - time) / yearMs),
    discount: (time, expiryAt) => Math.exp(-rateAt(time) / 100 * (expiryAt - time) / yearMs),
    isAmerican: true,
    tick: (_, mark) => mark < 3 ? 0.01 : 0.05,
    instrument: (expiryAt, strike, type) => instrumentName(spec.symbol, expiryAt, strike, type)
  }
}
