/** The price series of a stock or an index, with three segments per day: before, during and after the session. */
import { type EquityCountry, isTradingDay, sessionOf, type TradingSession } from "@tapeline/core/market"
import { Drivers } from "../kernel/Drivers.ts"
import { makeStreamKey } from "../kernel/random.ts"
import type { Span } from "../path/days.ts"
import { daySeconds, getPartLengths } from "../path/intervalLadder.ts"
import type { BarModel } from "../path/model.ts"
import { type Segment, Series, type SeriesCache, type SeriesModel } from "../path/Series.ts"

/**
 * The fraction of a day's variance before the trading session. Source: French & Roll, Journal of Financial Economics,
 * 1986.
 */
const varianceShareBefore = 0.2
const varianceShareInside = 0.72
const varianceShareAfter = 0.08
/** The variance of a trading day, relative to the mean variance of a calendar day. */
const tradingDayActivity = 1.4
const restDayActivity = 0.1
const tradingDaysPerYear = 252

/**
 * Returns the relative activity by fraction of the session: high at the opening, low at noon, higher before the close.
 */
const getSessionActivity = (fraction: number): number => 0.75 + 1.5 * (1 - fraction) ** 6 + 0.9 * fraction ** 8

const getMidnight = (country: EquityCountry, day: number): number =>
  day * daySeconds - (country === "KR" ? 9 * 3600 : 0)

/** The index of the session among the segments of a trading day. */
export const sessionIndex = 1

/**
 * Returns the segments of a day: before, during and after the trading session. A US day begins at midnight UTC, and a
 * Korean day begins at midnight in Seoul.
 */
export const getSegments = (country: EquityCountry, day: number): ReadonlyArray<Segment> => {
  const start = getMidnight(country, day)
  const session = sessionOf(country, day)
  if (session === undefined) return [{ start, seconds: daySeconds, share: 1 }]
  const open = session.openAt / 1000
  const close = session.closeAt / 1000
  return [
    { start, seconds: open - start, share: varianceShareBefore },
    { start: open, seconds: close - open, share: varianceShareInside },
    { start: close, seconds: start + daySeconds - close, share: varianceShareAfter }
  ]
}

/**
 * Returns the day that contains a time, as days since 1970. A US day begins at midnight UTC, and a Korean day begins at
 * midnight in Seoul.
 */
export const getSegmentDay = (country: EquityCountry, time: number): number =>
  Math.floor((time / 1000 + (country === "KR" ? 9 * 3600 : 0)) / daySeconds)

/**
 * Creates a function that returns the relative trading activity of an interval. Outside trading sessions, the activity
 * per second is constant.
 */
const makeActivity = (country: EquityCountry) => (start: number, seconds: number): number => {
  const session: TradingSession | undefined = sessionOf(country, getSegmentDay(country, start * 1000))
  if (session === undefined) return seconds
  const open = session.openAt / 1000
  const close = session.closeAt / 1000
  if (start < open || start >= close) return seconds
  return getSessionActivity((start + seconds / 2 - open) / (close - open)) * seconds
}

export interface EquityModelOptions {
  readonly seed: number | string
  readonly id: number
  readonly name: string
  readonly country: EquityCountry
  /** The reference price or index level in 2026. */
  readonly level: number
  /** The growth of the reference price per year, in log points. */
  readonly growth: number
  /** The standard deviation of the log return of a trading day. */
  readonly dailySd: number
  readonly marketShare: number
  readonly sectorShare: number
  readonly sector: string | null
  readonly valueScale: BarModel["valueScale"]
  readonly dailyVolume: (span: Span) => number
  readonly offset?: (second: number) => number
}

/** The share of global moves in the variance of each country's market. */
const worldVarianceShare = 0.35
const dayOf2026 = 20_454

export const makeEquityModel = (options: EquityModelOptions): SeriesModel => {
  const { seed, country, marketShare, sectorShare } = options
  const worldKey = makeStreamKey(seed, "equities")
  const countryKey = makeStreamKey(seed, `equities ${country}`)
  const market = new Drivers([
    { key: worldKey, returns: worldVarianceShare, volatility: 0.5 },
    { key: countryKey, returns: 1 - worldVarianceShare, volatility: 0.5 }
  ])
  const drivers = new Drivers([
    { key: worldKey, returns: marketShare * worldVarianceShare, volatility: 0.25 },
    { key: countryKey, returns: marketShare * (1 - worldVarianceShare), volatility: 0.3 },
    {
      key: makeStreamKey(seed, `equities ${country} ${options.sector ?? "broad"}`),
      returns: sectorShare,
      volatility: 0.15
    },
    { key: makeStreamKey(seed, `equity ${options.name}`), returns: 1 - marketShare - sectorShare, volatility: 0.3 }
  ])
  const dailySd = options.dailySd * Math.sqrt(tradingDaysPerYear / 365)
  return {
    id: options.id,
    drivers,
    market,
    anchor: (day) => Math.log(options.level) + options.growth * (day - dayOf2026) / 365,
    dailySd,
    dayWeight: (day) => isTradingDay(country, day) ? tradingDayActivity : restDayActivity,
    dailyVolume: (span) => options.dailyVolume(span) * (span.variance / (options.dailySd ** 2)) ** 0.5,
    bars: {
      getActivity: makeActivity(country),
      getPrice: Math.exp,
      valueScale: options.valueScale,
      getPartLengths,
      getDraws: (start, seconds, mix) => drivers.at(start, seconds, mix)
    },
    ...(options.offset === undefined ? {} : { offset: options.offset })
  }
}

export const makeEquitySeries = (options: EquityModelOptions, cache: SeriesCache): Series =>
  new Series(makeEquityModel(options), cache)
