/**
 * The series of a stock or an index. A day has a segment before the session, the session, and a segment after it.
 * Trades occur only in the session; the other segments create the gap. Nights, weekends and holidays move the price a
 * little.
 */
import { type EquityCountry, isTradingDay, sessionOf, type TradingSession } from "@tapeline/core/market"
import { Drivers } from "../kernel/factors.ts"
import { streamKey } from "../kernel/random.ts"
import type { Span } from "../path/days.ts"
import { daySeconds, partsOf } from "../path/ladder.ts"
import type { BarModel } from "../path/model.ts"
import { type Segment, Series, type SeriesCache, type SeriesModel } from "../path/Series.ts"

/**
 * The shares of a trading day's variance before, in and after the session. Nights move prices little (French & Roll,
 * JFE 1986).
 */
const shareBefore = 0.2
const shareInside = 0.72
const shareAfter = 0.08
/** The activity of a trading day and of another day. Both together give a year the variance of its trading days. */
const tradingWeight = 1.4
const restWeight = 0.1
const tradingDaysPerYear = 252

/** The activity within a session: highest at the opening, low at noon, high again before the close. */
const sessionProfile = (fraction: number): number => 0.75 + 1.5 * (1 - fraction) ** 6 + 0.9 * fraction ** 8

const midnightOf = (country: EquityCountry, day: number): number => day * daySeconds - (country === "KR" ? 9 * 3600 : 0)

/** The index of the session among a trading day's segments. */
export const sessionIndex = 1

/** The segments of a day. New York days are counted from midnight UTC, which is between two New York sessions too. */
export const segmentsOf = (country: EquityCountry, day: number): ReadonlyArray<Segment> => {
  const start = midnightOf(country, day)
  const session = sessionOf(country, day)
  if (session === undefined) return [{ start, seconds: daySeconds, share: 1 }]
  const open = session.openAt / 1000
  const close = session.closeAt / 1000
  return [
    { start, seconds: open - start, share: shareBefore },
    { start: open, seconds: close - open, share: shareInside },
    { start: close, seconds: start + daySeconds - close, share: shareAfter }
  ]
}

/** The day of a time, with the day boundaries of `segmentsOf`. */
export const segmentDay = (country: EquityCountry, time: number): number =>
  Math.floor((time / 1000 + (country === "KR" ? 9 * 3600 : 0)) / daySeconds)

/** The activity of an interval: the session profile in a session, constant outside. */
const activityOf = (country: EquityCountry) => (start: number, seconds: number): number => {
  const session: TradingSession | undefined = sessionOf(country, segmentDay(country, start * 1000))
  if (session === undefined) return seconds
  const open = session.openAt / 1000
  const close = session.closeAt / 1000
  if (start < open || start >= close) return seconds
  return sessionProfile((start + seconds / 2 - open) / (close - open)) * seconds
}

export interface EquityModelOptions {
  readonly seed: number | string
  readonly id: number
  readonly name: string
  readonly country: EquityCountry
  /** The level in 2026, and its growth in log points per year. */
  readonly level: number
  readonly growth: number
  /** The standard deviation of a trading day. */
  readonly dailySd: number
  readonly marketShare: number
  readonly sectorShare: number
  readonly sector: string | null
  readonly valueScale: BarModel["valueScale"]
  readonly dailyVolume: (span: Span) => number
  readonly offset?: (second: number) => number
}

/** The world's share of the variance of each country's market. */
const worldShare = 0.35
const dayOf2026 = 20_454

/** The model of a stock's or an index's path. */
export const makeEquityModel = (options: EquityModelOptions): SeriesModel => {
  const { seed, country, marketShare, sectorShare } = options
  const world = streamKey(seed, "equities")
  const national = streamKey(seed, `equities ${country}`)
  const market = new Drivers([
    { key: world, returns: worldShare, volatility: 0.5 },
    { key: national, returns: 1 - worldShare, volatility: 0.5 }
  ])
  const drivers = new Drivers([
    { key: world, returns: marketShare * worldShare, volatility: 0.25 },
    { key: national, returns: marketShare * (1 - worldShare), volatility: 0.3 },
    {
      key: streamKey(seed, `equities ${country} ${options.sector ?? "broad"}`),
      returns: sectorShare,
      volatility: 0.15
    },
    { key: streamKey(seed, `equity ${options.name}`), returns: 1 - marketShare - sectorShare, volatility: 0.3 }
  ])
  const dailySd = options.dailySd * Math.sqrt(tradingDaysPerYear / 365)
  return {
    id: options.id,
    drivers,
    market,
    anchor: (day) => Math.log(options.level) + options.growth * (day - dayOf2026) / 365,
    dailySd,
    dayWeight: (day) => isTradingDay(country, day) ? tradingWeight : restWeight,
    dailyVolume: (span) => options.dailyVolume(span) * (span.variance / (options.dailySd ** 2)) ** 0.5,
    bars: {
      activity: activityOf(country),
      price: Math.exp,
      valueScale: options.valueScale,
      partsOf,
      draws: (start, seconds, mix) => drivers.at(start, seconds, mix)
    },
    ...(options.offset === undefined ? {} : { offset: options.offset })
  }
}

export const makeEquitySeries = (options: EquityModelOptions, cache: SeriesCache): Series =>
  new Series(makeEquityModel(options), cache)
