/** US stocks as underlyings of options, whose implied volatility depends on future earnings announcements. */
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
import { getAnnouncement, getLastReportedQuarter } from "../equity/facts/fiscalQuarters.ts"
import { eventVariance } from "../equity/facts/results.ts"
import { dividendYieldPct, getValuationKey } from "../equity/facts/statements.ts"
import type { StockWithMarket } from "../equity/stockWithMarket.ts"
import { BoundedCache } from "../kernel/cache.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { deriveKey } from "../kernel/random.ts"
import { getNthWeekday } from "../macro/dates.ts"
import { getPolicyRate } from "../macro/policy.ts"
import type { World } from "../world.ts"
import type { ExpiryKind, ListedExpiry } from "./expiriesAndStrikes.ts"
import { makeSurface, type SurfaceEvent, yearMs } from "./surface.ts"
import type { MorningInformation, Underlying } from "./underlying.ts"

const multiplier = 100
const sessionsPerYear = 252
/** The number of sessions from which realised volatility is computed. */
const realisedSessions = 21
const lifetimeDays: Readonly<Record<ExpiryKind, number>> = { daily: 7, weekly: 43, monthly: 190, quarterly: 560 }

const getExpiryKind = (friday: number): ExpiryKind => {
  const date = new Date(friday * dayMs)
  const month = date.getUTCMonth() + 1
  if (getNthWeekday(date.getUTCFullYear(), month, 5, 3) !== friday) return "weekly"
  return month === 1 || month === 6 ? "quarterly" : "monthly"
}

/** Returns the listed expiries of US stock options, on Fridays or on the last session before a Friday holiday. */
const getStockExpiries = (time: number): ReadonlyArray<ListedExpiry> => {
  const expiries: Array<ListedExpiry> = []
  const today = localDay("US", time)
  for (let friday = today + (5 - weekday(today) + 7) % 7; friday <= today + lifetimeDays.quarterly; friday += 7) {
    const kind = getExpiryKind(friday)
    const session = sessionOf("US", friday) ?? previousSession("US", friday)
    const listedAt = (friday - lifetimeDays[kind]) * dayMs
    if (session.closeAt > time && listedAt <= time) expiries.push({ expiryAt: session.closeAt, listedAt, kind })
  }
  return expiries
}

/** Formats the name of an option in the US options symbology: root, date, type, and strike in thousandths. */
const formatInstrumentName = (symbol: string, expiryAt: number, strike: number, type: OptionType): string => {
  const date = new Date(expiryAt).toISOString().slice(2, 10).replaceAll("-", "")
  return `${symbol}${date}${type === "call" ? "C" : "P"}${String(Math.round(strike * 1000)).padStart(8, "0")}`
}

/** Creates functions that compute the realised volatility and the recent moves of a stock. */
const makePriceHistory = ({ market, spec }: StockWithMarket) => {
  const returns = new BoundedCache<number>(1_024)

  /** Returns the squared log return between two closes. Price moves caused by quarterly results are excluded. */
  const getSquaredReturn = (closeAt: number, beforeAt: number): number =>
    returns.get(
      closeAt,
      () => (market.getLogPriceWithoutResults(closeAt) - market.getLogPriceWithoutResults(beforeAt)) ** 2
    )

  /** Returns the annualised variance of the last sessions that have closed by a time. */
  const computeRealisedVariance = (time: number): number => {
    let session = lastSession("US", time)
    if (session.closeAt > time) session = previousSession("US", session.day)
    let sum = 0
    let weights = 0
    for (let i = 0, weight = 1; i < realisedSessions; i++, weight *= 0.94) {
      const before = previousSession("US", session.day)
      sum += weight * getSquaredReturn(session.closeAt, before.closeAt)
      weights += weight
      session = before
    }
    return sessionsPerYear * sum / weights
  }

  /** Returns the price move over a number of days, in typical moves, limited by tanh. */
  const getRecentMove = (time: number, days: number): number =>
    Math.tanh(
      (market.getLogPrice(market.getLastTradeTime(time)) -
        market.getLogPrice(market.getLastTradeTime(time - days * dayMs)))
        / (spec.dailySd * Math.sqrt(days * sessionsPerYear / 365) * 1.5)
    )

  return { computeRealisedVariance, getRecentMove }
}

const getUsualVariance = ({ spec }: StockWithMarket): number => spec.dailySd ** 2 * sessionsPerYear

const makeSurfaces = (
  world: World,
  listed: StockWithMarket,
  { getRecentMove, computeRealisedVariance }: ReturnType<typeof makePriceHistory>
): Underlying["surface"] => {
  const { market, spec } = listed
  const yearlyVariance = getUsualVariance(listed)
  const noiseKey = world.getKey(`implied volatility ${spec.symbol}`)
  const valuation = getValuationKey(world, spec)

  /** Returns the next eight earnings announcements, each with the variance of its price move. */
  const events = (time: number): ReadonlyArray<SurfaceEvent> => {
    const next = getLastReportedQuarter(spec, valuation, time) + 1
    return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => ({
      time: getAnnouncement(spec, valuation, next + i).time,
      variance: eventVariance * spec.dailySd ** 2
    }))
  }

  return (time) => {
    const noise = (stream: number, longestMs: number): number =>
      stationaryNoise(deriveKey(noiseKey, stream, 0), market.getLastTradeTime(time), hourMs, longestMs)
    const premium = 0.08 + 0.05 * noise(1, 16 * dayMs) - 0.05 * getRecentMove(time, 7)
    return makeSurface({
      time,
      spotVariance: yearlyVariance ** 0.4 * computeRealisedVariance(time) ** 0.6 * Math.exp(2 * premium),
      longVariance: yearlyVariance * Math.exp(2 * (0.06 + 0.05 * noise(2, 128 * dayMs))),
      speed: 9,
      rho: -0.34 + 0.15 * getRecentMove(time, 7) + 0.06 * noise(3, 32 * dayMs),
      eta: 0.9 + 0.08 * noise(4, 64 * dayMs),
      events: events(time)
    })
  }
}

/** Creates a US stock as the underlying of options. Earlier prices are adjusted for splits up to `now`. */
export const makeStockUnderlying = (world: World, listed: StockWithMarket, now: number): Underlying => {
  const { spec, market } = listed
  const currentShareFactor = market.getShareFactor(now)
  const yearlyVariance = getUsualVariance(listed)
  const morningCache = new BoundedCache<MorningInformation>(1_024)
  const yieldPct = dividendYieldPct(listed, now)
  const priceHistory = makePriceHistory(listed)
  // All quotes of a chain use the policy rate of the same time, so the rate is cached.
  const rates = new BoundedCache<number>(256)
  const getRate = (time: number): number => rates.get(time, () => getPolicyRate(world, "US", time))

  const spot = (time: number): number =>
    Math.round(100 * market.price(time) * market.getShareFactor(time) / currentShareFactor) / 100

  return {
    symbol: spec.symbol,
    multiplier,
    key: world.getKey(`option trades ${spec.symbol}`),
    lot: multiplier,
    medianSize: 3 * multiplier,
    dailyTrades: Math.min(2_500, 250 + Math.round(spec.price * spec.shares / 1e9)),
    usualVolatility: Math.sqrt(yearlyVariance),
    expiries: getStockExpiries,
    spot,
    getMorning: (day) =>
      morningCache.get(day, () => {
        const time = day * dayMs
        return {
          spot: spot(time),
          sigma: Math.sqrt(0.5 * yearlyVariance + 0.5 * priceHistory.computeRealisedVariance(time)),
          direction: priceHistory.getRecentMove(time, 5)
        }
      }),
    activity: (day) => sessionOf("US", day) === undefined ? 0 : 1,
    hours: (day) => {
      const { closeAt, openAt } = sessionOf("US", day) ?? nextSession("US", day)
      return { from: openAt, to: closeAt }
    },
    getVolumeStart: (time) => lastSession("US", time).openAt,
    surface: makeSurfaces(world, listed, priceHistory),
    forwardRatio: (time, expiryAt) => Math.exp((getRate(time) - yieldPct) / 100 * (expiryAt - time) / yearMs),
    discount: (time, expiryAt) => Math.exp(-getRate(time) / 100 * (expiryAt - time) / yearMs),
    isAmerican: true,
    tick: (_, mark) => mark < 3 ? 0.01 : 0.05,
    instrument: (expiryAt, strike, type) => formatInstrumentName(spec.symbol, expiryAt, strike, type)
  }
}
