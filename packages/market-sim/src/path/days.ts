/**
 * The prices at midnights and the variance of each day, from halving eras of 16,384 days at random days. The point
 * between two halves is drawn from a Brownian bridge, which is nearly a free random walk over months.
 *
 * Each half has a random share of the variance, so that volatility clusters over weeks and months. At the ends of an
 * era, the log price is a slowly growing anchor plus a little noise, so no price drifts away forever. The variance of a
 * one-year return is 2 % below 365 daily variances.
 *
 * The path of an instrument is a weighted sum of the paths of its drivers, so instruments with a common driver are
 * correlated, but no instrument leads another.
 */
import type { Draws, DriverWeights, Weights } from "../kernel/Drivers.ts"

/** The path of one driver over a span, in standard deviations of a typical day. */
export interface DriverPath {
  readonly open: number
  readonly close: number
  readonly variance: number
  /** The standardised return of the preceding part, because volatility rises after a fall. */
  readonly previousReturn: number
}

/** An interval of whole days since 1970, with the log prices at its ends and its variance. */
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
  /** Returns the expected log price at a midnight, without noise. */
  readonly anchor: (day: number) => number
  /** The standard deviation of the log return of a typical day. */
  readonly dailySd: number
  /** Returns the relative activity of a day, which is lower on weekends. */
  readonly weight: (day: number) => number
  readonly drivers: number
  readonly loadings: Weights
  readonly marketLoadings: Weights
  /** Returns the random numbers of a span of days. */
  readonly getDraws: (from: number, to: number) => Draws
  /** Returns the random numbers that all instruments of a market share for a span of days, such as to start a panic. */
  readonly getMarketDraws: (from: number, to: number) => Draws
}

export const eraDays = 16_384
/** 2026-01-01, the origin of the eras. */
const originDay = 20_454
/** The longest span in days whose halves differ much in volatility. */
const longestSeasonalSpan = 256

/** Returns the standard deviation of the log ratio between the variances of two halves. */
const getCascadeSd = (length: number): number => length > longestSeasonalSpan ? 0.22 : length > 12 ? 0.9 : 0.6
/** Returns the strength with which volatility responds to the preceding return, which is zero for spans of years. */
const getLeverage = (length: number): number => length > longestSeasonalSpan ? 0 : length > 24 ? 0.4 : 0.8
/** The noise at the ends of an era in standard deviations of a typical day: the size of a two-month price move. */
const eraEndNoise = 7.5
/** The lengths in days of spans that count as regimes. */
const regimeDays = { shortest: 4, longest: 24 }
/** The probability that one part of a regime has most of the variance, which is a panic if prices fall. */
const panicProbability = 0.07
const panicVarianceShift = 1.3

const slot = { end: 0, cut: 2, share: 4, point: 5, panic: 8, side: 10 }

export const getEra = (day: number): number => Math.floor((day - originDay) / eraDays)

const sumVariance = (loadings: Weights, driverPaths: ReadonlyArray<DriverPath>): number => {
  let sum = 0
  for (let i = 0; i < driverPaths.length; i++) sum += loadings[i]! * loadings[i]! * driverPaths[i]!.variance
  return sum
}

/** Returns the weights with which standardised driver returns add up to a return of variance 1. */
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
    // The anchor grows with time instead of variance, because volatile times would otherwise be a predictable reward.
    open: anchor(from) + dailySd * open,
    close: anchor(to) + dailySd * close,
    variance: dailySd ** 2 * sumVariance(loadings, driverPaths),
    driverPaths
  }
}

/** The state of the drivers during a span, which the bars of the span use. */
export interface DriverState {
  /** The weights of the drivers in the return, which are higher for drivers with a high variance. */
  readonly mix: DriverWeights
  /** The standardised return of the market in the span. */
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

/**
 * Divides a driver path into two parts, which are independent given their variances, so a fall predicts no recovery.
 */
const halveDriverPath = (
  { previousReturn, close, open, variance }: DriverPath,
  first: number,
  normal: number
): readonly [DriverPath, DriverPath] => {
  const firstVariance = variance * first
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

/** Returns the label of a regime, from its standardised return and its variance relative to the usual variance. */
export const getRegimeLabel = (span: Span, dailySd: number): RegimeLabel => {
  const standardisedReturn = (span.close - span.open) / Math.sqrt(span.variance)
  const relativeVariance = span.variance / (dailySd ** 2 * (span.to - span.from))
  if (relativeVariance > 1.6 && standardisedReturn < -0.8) return "panic"
  if (standardisedReturn > 0.6) return "trend_up"
  if (standardisedReturn < -0.6) return "trend_down"
  return "range"
}

export const isRegimeLength = (span: Span): boolean => span.to - span.from <= regimeDays.longest
