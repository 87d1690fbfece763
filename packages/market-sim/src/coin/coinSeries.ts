/** The price series of a coin, whose trading activity follows the working days of Asia, Europe and America. */
import { dayMs } from "@tapeline/core/market"
import { Drivers, type DriverShare } from "../kernel/Drivers.ts"
import { deriveKey, drawNormal, type Key, makeStreamKey } from "../kernel/random.ts"
import type { DriverState, Span } from "../path/days.ts"
import { daySeconds, getPartLengths } from "../path/intervalLadder.ts"
import { type Segment, Series, type SeriesCache, type SeriesModel } from "../path/Series.ts"
import type { CoinSpec } from "./coins.ts"

/** The relative trading activity by hour (UTC), lowest at 05:00 and highest while London and New York overlap. */
const hourlyActivity = [
  1.0,
  1.02,
  0.95,
  0.88,
  0.82,
  0.8,
  0.84,
  0.94,
  1.02,
  1.02,
  0.96,
  0.94,
  1.02,
  1.24,
  1.48,
  1.5,
  1.36,
  1.2,
  1.1,
  1.04,
  1.0,
  0.96,
  0.92,
  0.97
]
const weekendActivity = 0.55

const getHourlyActivity = (seconds: number): number => hourlyActivity[Math.floor(seconds / 3600) % 24]!

const computeActivity = (start: number, seconds: number): number => {
  const offset = start % daySeconds
  if (seconds > 3600) {
    let sum = 0
    for (let second = offset; second < offset + seconds; second += 3600) {
      sum += getHourlyActivity(second)
    }
    return sum * 3600
  }
  // Activity is interpolated linearly between the middles of two hours.
  const middleSecond = offset + seconds / 2 - 1800 + daySeconds
  const hourFraction = (middleSecond % 3600) / 3600
  return ((1 - hourFraction) * getHourlyActivity(middleSecond) +
    hourFraction * getHourlyActivity(middleSecond + 3600)) * seconds
}

/** 1970-01-01 was a Thursday. */
const isWeekend = (day: number): boolean => (day + 4) % 7 === 6 || (day + 4) % 7 === 0

const roundDownToPowerOfTwo = (x: number): number => 2 ** Math.floor(Math.log2(x))

/** Returns the number of decimals that gives a price six significant digits, but at least two decimals. */
const getPriceDecimals = (price: number): number => Math.max(2, 5 - Math.floor(Math.log10(price)))

const dayOf2026 = 20_454

/** Creates a function that returns the expected log price of a coin on a day. */
const makeAnchor = (spec: CoinSpec) => (day: number): number => {
  const years = (day - dayOf2026) / 365
  // The growth rate after the start of 2026 is a seventh of the growth rate before.
  return Math.log(spec.price) + (years < 0 ? spec.growth * years : spec.growth * years / 7)
}

const makeMarketDrivers = (seed: number | string): Drivers =>
  new Drivers([{ key: makeStreamKey(seed, "crypto"), returns: 1, volatility: 1 }])

const makeLoadings = (seed: number | string, spec: CoinSpec): ReadonlyArray<DriverShare> => [
  { key: makeStreamKey(seed, "crypto"), returns: spec.marketShare, volatility: spec.isStablecoin ? 0.3 : 0.7 },
  {
    key: makeStreamKey(seed, `crypto sector ${spec.sector}`),
    returns: spec.sectorShare,
    volatility: spec.isStablecoin ? 0.15 : 0.1
  },
  {
    key: makeStreamKey(seed, `coin ${spec.coin}`),
    returns: 1 - spec.marketShare - spec.sectorShare,
    volatility: spec.isStablecoin ? 0.55 : 0.2
  }
]

export interface CoinSeries {
  readonly spec: CoinSpec
  readonly series: Series
  readonly decimals: number
  readonly listedAt: number
  /** The coins per unit of volume; a power of two, so that sums of volumes are exact. */
  readonly volumeUnit: number
  readonly valueUnit: number
  readonly price: (logPrice: number) => number
}

export const getWholeDaySegment = (
  day: number
): ReadonlyArray<Segment> => [{ start: day * daySeconds, seconds: daySeconds, share: 1 }]

export const makeCoinSeries = (
  seed: number | string,
  spec: CoinSpec,
  id: number,
  cache: SeriesCache
): CoinSeries => {
  const decimals = getPriceDecimals(spec.price)
  const ticks = 10 ** decimals
  const getPrice = (logPrice: number): number => Math.max(1, Math.round(Math.exp(logPrice) * ticks)) / ticks
  const volumeUnit = roundDownToPowerOfTwo(spec.dailyVolumeUsd / spec.price / 288 / 2 ** 19)
  const valueUnit = roundDownToPowerOfTwo(spec.dailyVolumeUsd / 288 / 2 ** 26)
  const anchor = makeAnchor(spec)
  const drivers = new Drivers(makeLoadings(seed, spec))
  const model: SeriesModel = {
    id,
    drivers,
    market: makeMarketDrivers(seed),
    anchor,
    dailySd: spec.dailySd,
    dayWeight: (day) => isWeekend(day) ? weekendActivity : 1.18,
    dailyVolume: (span: Span) =>
      spec.dailyVolumeUsd / Math.exp(span.open) / volumeUnit * (span.variance / spec.dailySd ** 2) ** 0.5
      * Math.exp(0.35 * (span.open - anchor(span.from))),
    bars: {
      getActivity: computeActivity,
      getPrice,
      valueScale: volumeUnit / valueUnit,
      getPartLengths,
      getDraws: (start, seconds, mix) => drivers.at(start, seconds, mix)
    }
  }
  const series = spec.isStablecoin
    ? new PeggedSeries(model, cache, makeStreamKey(seed, `peg ${spec.coin}`))
    : new Series(model, cache)
  return { spec, series, decimals, listedAt: Date.parse(spec.listed), volumeUnit, valueUnit, price: getPrice }
}

/** The driver weights of a stablecoin. The price depends only on the coin's own random driver. */
const independentDrive: DriverState = {
  mix: { returns: [0, 0, 1, 0], marketReturn: [1, 0, 0, 0] },
  marketReturn: 0,
  previousReturn: 0
}

/** The price series of a stablecoin. At every midnight, the price is close to the peg. */
class PeggedSeries extends Series {
  readonly #key: Key

  constructor(model: SeriesModel, cache: SeriesCache, key: Key) {
    super(model, cache)
    this.#key = key
  }

  protected override getDrive(): DriverState {
    return independentDrive
  }

  override getDay(day: number): Span {
    const { dailySd } = this.model
    const pegPriceAt = (midnight: number): number => 0.5 * dailySd * drawNormal(deriveKey(this.#key, midnight, 0), 0)
    const varianceFactor = Math.exp(0.6 * drawNormal(deriveKey(this.#key, day, 1), 0) - 0.18)
    return {
      from: day,
      to: day + 1,
      open: pegPriceAt(day),
      close: pegPriceAt(day + 1),
      variance: dailySd ** 2 * varianceFactor,
      driverPaths: []
    }
  }
}

export const dayOf = (time: number): number => Math.floor(time / dayMs)
