/**
 * Simulates the log price at each midnight and the variance of each day. An era of 16,384 days is divided at random
 * days until each span has one day. The log price at a day that divides a span is drawn from a Brownian bridge between
 * the ends of the span.
 *
 * Each half of a span has a random share of the variance, so volatility clusters over weeks and months. At both ends of
 * an era, the log price is close to its expected value, so prices cannot drift without limit. Because of this limit,
 * the variance of a one-year return is 2 % less than the sum of 365 daily variances.
 *
 * The price path of an instrument is a weighted sum of random paths, called drivers. Instruments that share a driver
 * are correlated, but no instrument follows another instrument with a delay.
 */
import type { Draws, DriverWeights, Weights } from "../kernel/Drivers.ts"

/**
 * The path of one random driver over a span of days. Values are multiples of the standard deviation of a typical day.
 */
export interface DriverPath {
  readonly open: number
  readonly close: number
  readonly variance: number
  /** The return of the preceding span, divided by its standard deviation. */
  readonly previousReturn: number
}

/**
 * A range of whole days, with the log prices at both ends and the variance of the log return. `from` and `to` are days
 * since 1970.
 */
export interface Span {
  readonly from: number
  readonly to: number
  readonly open: number
  readonly close: number
  readonly variance: number
  readonly driverPaths: ReadonlyArray<DriverPath>
}

/** The label of a market phase: a trend, a market without direction, or a fall with high variance. */
export type RegimeLabel = "trend_up" | "trend_down" | "range" | "panic"

export interface DayModel {
  /** Returns the expected log price at the midnight that begins `day`. */
  readonly anchor: (day: number) => number
  /** The standard deviation of the log return of a typical day. */
  readonly dailySd: number
  /** Returns the relative activity of a day, which is lower on weekends. */
  readonly weight: (day: number) => number
  readonly drivers: number
  readonly loadings: Weights
  readonly marketLoadings: Weights
  /** Returns the instrument's random numbers for the days from `from` to `to`. */
  readonly getDraws: (from: number, to: number) => Draws
  /** Returns random numbers that are equal for all instruments of the market. */
  readonly getMarketDraws: (from: number, to: number) => Draws
}

export const eraDays = 16_384
/** The first day of era 0 (2026-01-01), in days since 1970. */
const originDay = 20_454
/** In a span of more than this number of days, both halves have similar volatility. */
const longestSeasonalSpan = 256

/**
 * Returns the standard deviation of the logarithm of the first half's variance divided by the second half's variance.
 */
const getCascadeSd = (length: number): number => length > longestSeasonalSpan ? 0.22 : length > 12 ? 0.9 : 0.6
/** Returns how strongly a price fall raises the volatility of the days after the fall. */
const getLeverage = (length: number): number => length > longestSeasonalSpan ? 0 : length > 24 ? 0.4 : 0.8
/**
 * The standard deviation of a random driver's value at the ends of an era. The unit is the standard deviation of a
 * typical day.
 */
// The value is about the standard deviation of a price move over two months.
const eraEndNoise = 7.5
/** The minimum and the maximum length of a market regime, in days. */
const regimeDays = { shortest: 4, longest: 24 }
/** The probability that one half of a market regime has most of the regime's variance. */
const panicProbability = 0.07
const panicVarianceShift = 1.3

const slot = { end: 0, cut: 2, share: 4, point: 5, panic: 8, side: 10 }

export const getEra = (day: number): number => Math.floor((day - originDay) / eraDays)

const sumVariance = (loadings: Weights, driverPaths: ReadonlyArray<DriverPath>): number => {
  let sum = 0
  for (let i = 0; i < driverPaths.length; i++) sum += loadings[i]! * loadings[i]! * driverPaths[i]!.variance
  return sum
}

/** Returns the weight of each driver's standardised return in the instrument's standardised return. */
const getReturnWeights = (loadings: Weights, driverPaths: ReadonlyArray<DriverPath>): Weights => {
  const variance = sumVariance(loadings, driverPaths)
  const weight = (i: number): number =>
    i < driverPaths.length ? loadings[i]! * Math.sqrt(driverPaths[i]!.variance / variance) : 0
  return [weight(0), weight(1), weight(2), weight(3)]
}

const makeSpan = (
  from: number,
  to: number,
  driverPaths: ReadonlyArray<DriverPath>,
  { anchor, dailySd, loadings }: DayModel
): Span => {
  let open = 0
  let close = 0
  for (let i = 0; i < driverPaths.length; i++) {
    open += loadings[i]! * driverPaths[i]!.open
    close += loadings[i]! * driverPaths[i]!.close
  }
  return {
    from,
    to,
    // The anchor grows with time instead of variance. Otherwise, volatile times would predict higher returns.
    open: anchor(from) + dailySd * open,
    close: anchor(to) + dailySd * close,
    variance: dailySd ** 2 * sumVariance(loadings, driverPaths),
    driverPaths
  }
}

/** The values of the random drivers that the bars of a span need. */
export interface DriverState {
  /** The weight of each driver in the return. The weight of a driver increases with the driver's variance. */
  readonly mix: DriverWeights
  /** The market's return in the span, divided by its standard deviation. */
  readonly marketReturn: number
  readonly previousReturn: number
}

export const getDriverState = ({ driverPaths }: Span, { loadings, marketLoadings }: DayModel): DriverState => {
  const mix: DriverWeights = {
    returns: getReturnWeights(loadings, driverPaths),
    marketReturn: getReturnWeights(marketLoadings, driverPaths)
  }
  let marketReturn = 0
  let previousReturn = 0
  driverPaths.forEach((walk, i) => {
    marketReturn += mix.marketReturn[i]! * (walk.close - walk.open) / Math.sqrt(walk.variance)
    previousReturn += mix.marketReturn[i]! * walk.previousReturn
  })
  return { mix, marketReturn, previousReturn }
}

export const makeEra = (index: number, model: DayModel): Span => {
  const from = originDay + index * eraDays
  const to = from + eraDays
  const start = model.getDraws(from, from)
  const end = model.getDraws(to, to)
  const driverPaths = Array.from({ length: model.drivers }, (_, driver): DriverPath => ({
    open: eraEndNoise * start.normalOf(driver, slot.end),
    close: eraEndNoise * end.normalOf(driver, slot.end),
    variance: eraDays,
    previousReturn: 0
  }))
  return makeSpan(from, to, driverPaths, model)
}

const sumActivity = (from: number, to: number, model: DayModel): number => {
  // Long spans contain whole weeks, so their activity is proportional to their length.
  if (to - from > 28) return to - from
  let sum = 0
  for (let day = from; day < to; day++) sum += model.weight(day)
  return sum
}

/** Divides a driver path into two parts. `first` is the first part's share of the variance. */
const halveDriverPath = (
  { previousReturn, close, open, variance }: DriverPath,
  first: number,
  normal: number
): readonly [DriverPath, DriverPath] => {
  const firstVariance = variance * first
  // The middle point of a Brownian bridge is drawn, so a fall in the first part predicts no recovery in the second.
  const step = first * (close - open) + Math.sqrt(firstVariance * (1 - first)) * normal
  const middlePoint = open + step
  return [
    { open, close: middlePoint, variance: firstVariance, previousReturn },
    { open: middlePoint, close, variance: variance - firstVariance, previousReturn: step / Math.sqrt(firstVariance) }
  ]
}

export const halveSpan = (span: Span, model: DayModel): readonly [Span, Span] => {
  const { from, to, driverPaths } = span
  const length = to - from
  const market = model.getMarketDraws(from, to)
  const draws = model.getDraws(from, to)
  const cutDay = from + Math.max(1, Math.min(length - 1, Math.round(length * (0.3 + 0.4 * market.uniform(slot.cut)))))

  const isRegime = length >= regimeDays.shortest && length <= regimeDays.longest
  const isPanic = isRegime && market.uniform(slot.panic) < panicProbability

  let expectedLogRatio = Math.log(sumActivity(from, cutDay, model) / sumActivity(cutDay, to, model))
  if (isPanic) expectedLogRatio += market.uniform(slot.side) < 0.5 ? panicVarianceShift : -panicVarianceShift
  const halvedPaths = driverPaths.map((walk, driver) => {
    const ratio = expectedLogRatio + getCascadeSd(length) * draws.volatilityOf(driver, slot.share)
      - getLeverage(length) * Math.max(-3, Math.min(3, walk.previousReturn))
    return halveDriverPath(walk, 1 / (1 + Math.exp(-ratio)), draws.normalOf(driver, slot.point))
  })
  return [
    makeSpan(from, cutDay, halvedPaths.map(([first]) => first), model),
    makeSpan(cutDay, to, halvedPaths.map(([, second]) => second), model)
  ]
}

/** Classifies a market regime by its return and its variance. */
export const getRegimeLabel = (span: Span, dailySd: number): RegimeLabel => {
  const standardisedReturn = (span.close - span.open) / Math.sqrt(span.variance)
  const relativeVariance = span.variance / (dailySd ** 2 * (span.to - span.from))
  if (relativeVariance > 1.6 && standardisedReturn < -0.8) return "panic"
  if (standardisedReturn > 0.6) return "trend_up"
  if (standardisedReturn < -0.6) return "trend_down"
  return "range"
}

export const isRegimeLength = (span: Span): boolean => span.to - span.from <= regimeDays.longest
