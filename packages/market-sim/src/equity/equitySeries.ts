/**
 * The series of a stock or an index: a day has a stretch before the session, the session, and one after it;
 * only the session trades, the others make the gap. Nights, weekends and holidays move it a little.
 */
import { type EquityCountry, isTradingDay, sessionOf, type TradingSession } from "@tapeline/core/market"
import { Drivers } from "../kernel/factors.ts"
import { streamKey } from "../kernel/random.ts"
import type { Span } from "../path/days.ts"
import { daySeconds, partsOf } from "../path/ladder.ts"
import type { BarModel } from "../path/model.ts"
import { type Segment, Series, type SeriesCache, type SeriesModel } from "../path/Series.ts"

/**
 * Shares of a trading day's variance before, in and after the session (French & Roll, JFE 1986: nights move little).
 */
const shareBefore = 0.2
const shareInside = 0.72
const shareAfter = 0.08
/** Activity of a trading day and of another, so that a year of both has the variance of its trading days. */
const tradingWeight = 1.4
const restWeight = 0.1
const tradingDaysPerYear = 252

/** Activity within a session: busiest at the opening, quiet at noon, busy again before the close. */
const sessionProfile = (fraction: number): number => 0.75 + 1.5 * (1 - fraction) ** 6 + 0.9 * fraction ** 8

const midnightOf = (country: EquityCountry, day: number): number => day * daySeconds - (country === "KR" ? 9 * 3600 : 0)

/** Which of a trading day's segments is the session. */
export const sessionIndex = 1

/** The segments of a day: the dates of New York count from midnight UTC, which lies between its sessions too. */
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

/** The day that an instant belongs to in the sense of `segmentsOf`. */
export const segmentDay = (country: EquityCountry, time: number): number =>
  Math.floor((time / 1000 + (country === "KR" ? 9 * 3600 : 0)) / daySeconds)

/** Session of the day, as a profile needs it: cached by the caller's day. */
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
  /** Level in 2026, and its growth in log points a year. */
  readonly level: number
  readonly growth: number
  /** Standard deviation of a trading day. */
  readonly dailySd: number
  readonly marketShare: number
  readonly sectorShare: number
  readonly sector: string | null
  readonly valueScale: BarModel["valueScale"]
  readonly dailyVolume: (span: Span) => number
  readonly offset?: (second: number) => number
}

/** Of the variance of each country's market this much is the world's. */
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
