/**
 * The price at the midnights, and the variance of each day: the part of the tree above the bars.
 *
 * Time is divided into eras of 16,384 days, and one era begins with 2026. At the ends of an era the log price is an
 * anchor (a slow growth) and a little noise. Inside, eras are halved at random days until single days are left. Each
 * half has a random share of the variance, so that volatility clusters over weeks and months. The point between the
 * halves is drawn from the bridge. Over months a bridge of this length is nearly a free random walk. The variance of a
 * one-year return is 2 % below that of 365 days. Still, no price drifts away forever.
 *
 * Each driver has its own path and its own variances. An instrument is a fixed sum of the paths of its drivers. Two
 * instruments therefore correlate through the same path. Neither leads the other, however much their variances differ.
 */
import type { Draws, Mix, Weights } from "../kernel/factors.ts"

/** The path of one driver over a span, in standard deviations of a typical day. */
export interface Walk {
  readonly open: number
  readonly close: number
  readonly variance: number
  /** The standardised return of the part before. Volatility rises after a fall. */
  readonly before: number
}

/** The ends of an interval of whole days (days since 1970), with its variance. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly open: number
  readonly close: number
  readonly variance: number
  readonly walks: ReadonlyArray<Walk>
}

/** The label of a market phase: a directed market, a market without direction, or a fall with high variance. */
export type RegimeLabel = "trend_up" | "trend_down" | "range" | "panic"

export interface DayModel {
  /** The expected log price at a midnight, without noise. */
  readonly anchor: (day: number) => number
  /** The standard deviation of a typical day's log return. */
  readonly dailySd: number
  /** The relative activity of a day. Weekends are quieter. */
  readonly weight: (day: number) => number
  /** The number of the instrument's drivers, and their weights in its own typical return and in that of its market. */
  readonly drivers: number
  readonly loadings: Weights
  readonly marketLoadings: Weights
  /** The random numbers at an address of days. */
  readonly draws: (from: number, to: number) => Draws
  /** The market's random numbers at an address. All its instruments share them: where to cut, and which regime. */
  readonly market: (from: number, to: number) => Draws
}

export const eraDays = 16_384
/** 2026-01-01, the origin of the eras. */
const originDay = 20_454
/** The longest span, in days, whose halves differ much in activity. Years are much alike. */
const longestSeason = 256

/**
 * The noise of the log ratio between two halves. Each halving adds a quarter of its square to the variance of log
 * volatility.
 */
const cascadeSd = (length: number): number => length > longestSeason ? 0.22 : length > 12 ? 0.9 : 0.6
/** The strength of the response of volatility to the return before. Zero on the scale of years. */
const leverageOf = (length: number): number => length > longestSeason ? 0 : length > 24 ? 0.4 : 0.8
/** The noise at the ends of an era, in deviations of a typical day: about that of two months. */
const endNoise = 7.5
/** The lengths of spans, in days, that are regimes. */
const regimeDays = { shortest: 4, longest: 24 }
/**
 * The probability that one part of a regime has most of its variance, in all instruments of a market. If this part
 * falls, it is a panic.
 */
const panicChance = 0.07
const panicHeat = 1.3

const slot = { end: 0, cut: 2, share: 4, point: 5, panic: 8, side: 10 }

export const eraOf = (day: number): number => Math.floor((day - originDay) / eraDays)

/** The variance of the sum of walks, each times its loading. */
const varianceOf = (loadings: Weights, walks: ReadonlyArray<Walk>): number => {
  let sum = 0
  for (let i = 0; i < walks.length; i++) sum += loadings[i]! * loadings[i]! * walks[i]!.variance
  return sum
}

/** The weights with which standardised walks add up to a return of variance 1. */
const weightsOf = (loadings: Weights, walks: ReadonlyArray<Walk>): Weights => {
  const variance = varianceOf(loadings, walks)
  const weight = (i: number): number => i < walks.length ? loadings[i]! * Math.sqrt(walks[i]!.variance / variance) : 0
  return [weight(0), weight(1), weight(2), weight(3)]
}

/** A span of the instrument: the sum of its drivers' walks, each times its loading. */
const spanOf = (
  from: number,
  to: number,
  walks: ReadonlyArray<Walk>,
  { anchor, dailySd, loadings }: DayModel
): Span => {
  let open = 0
  let close = 0
  for (let i = 0; i < walks.length; i++) {
    open += loadings[i]! * walks[i]!.open
    close += loadings[i]! * walks[i]!.close
  }
  return {
    from,
    to,
    // The anchor grows with time in every regime. Growth in proportion to variance would reward a prediction of a
    // volatile time, such as the time after a fall.
    open: anchor(from) + dailySd * open,
    close: anchor(to) + dailySd * close,
    variance: dailySd ** 2 * varianceOf(loadings, walks),
    walks
  }
}

/** The parameters of a span's drivers that its bars use. */
export interface Drive {
  /** The weights of the drivers in the return. A driver with a high variance has more than its usual weight. */
  readonly mix: Mix
  /** The standardised return of the market in the span, and in the part before. */
  readonly lead: number
  readonly before: number
}

export const driveOf = ({ walks }: Span, { loadings, marketLoadings }: DayModel): Drive => {
  const mix: Mix = { returns: weightsOf(loadings, walks), lead: weightsOf(marketLoadings, walks) }
  let lead = 0
  let before = 0
  walks.forEach((walk, i) => {
    lead += mix.lead[i]! * (walk.close - walk.open) / Math.sqrt(walk.variance)
    before += mix.lead[i]! * walk.before
  })
  return { mix, lead, before }
}

/** Returns the span of a whole era. */
export const era = (index: number, model: DayModel): Span => {
  const from = originDay + index * eraDays
  const to = from + eraDays
  const start = model.draws(from, from)
  const end = model.draws(to, to)
  const walks = Array.from({ length: model.drivers }, (_, driver): Walk => ({
    open: endNoise * start.normalOf(driver, slot.end),
    close: endNoise * end.normalOf(driver, slot.end),
    variance: eraDays,
    before: 0
  }))
  return spanOf(from, to, walks, model)
}

const weightOf = (from: number, to: number, model: DayModel): number => {
  // Long spans contain whole weeks, so their weight is their length.
  if (to - from > 28) return to - from
  let sum = 0
  for (let day = from; day < to; day++) sum += model.weight(day)
  return sum
}

/**
 * The two parts of a walk. The first one has the share `first` of the variance. The bridge's own law applies in every
 * regime. Given their variances the parts are independent, so a fall does not predict a recovery.
 */
const halveWalk = ({ before, close, open, variance }: Walk, first: number, normal: number): readonly [Walk, Walk] => {
  const firstVariance = variance * first
  const step = first * (close - open) + Math.sqrt(firstVariance * (1 - first)) * normal
  const between = open + step
  return [
    { open, close: between, variance: firstVariance, before },
    { open: between, close, variance: variance - firstVariance, before: step / Math.sqrt(firstVariance) }
  ]
}

/** Divides a span of more than one day into two parts. */
export const halve = (span: Span, model: DayModel): readonly [Span, Span] => {
  const { from, to, walks } = span
  const length = to - from
  const market = model.market(from, to)
  const draws = model.draws(from, to)
  const cut = from + Math.max(1, Math.min(length - 1, Math.round(length * (0.3 + 0.4 * market.uniform(slot.cut)))))

  const isRegime = length >= regimeDays.shortest && length <= regimeDays.longest
  const isPanic = isRegime && market.uniform(slot.panic) < panicChance

  let expected = Math.log(weightOf(from, cut, model) / weightOf(cut, to, model))
  if (isPanic) expected += market.uniform(slot.side) < 0.5 ? panicHeat : -panicHeat
  const halves = walks.map((walk, driver) => {
    const ratio = expected + cascadeSd(length) * draws.volatilityOf(driver, slot.share)
      - leverageOf(length) * Math.max(-3, Math.min(3, walk.before))
    return halveWalk(walk, 1 / (1 + Math.exp(-ratio)), draws.normalOf(driver, slot.point))
  })
  return [
    spanOf(from, cut, halves.map(([first]) => first), model),
    spanOf(cut, to, halves.map(([, second]) => second), model)
  ]
}

/** The label of a span of regime length, by its standardised return and by its variance relative to a usual one. */
export const regimeOf = (span: Span, dailySd: number): RegimeLabel => {
  const directed = (span.close - span.open) / Math.sqrt(span.variance)
  const heat = span.variance / (dailySd ** 2 * (span.to - span.from))
  if (heat > 1.6 && directed < -0.8) return "panic"
  if (directed > 0.6) return "trend_up"
  if (directed < -0.6) return "trend_down"
  return "range"
}

export const isRegimeLength = (span: Span): boolean => span.to - span.from <= regimeDays.longest
