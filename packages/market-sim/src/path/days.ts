/**
 * The price at the midnights, and the variance of each day: the part of the tree above the bars.
 *
 * Time is cut into eras of 16,384 days, of which one begins with 2026. At their ends the log price is an anchor (a slow
 * growth) and a little noise; inside, eras are halved at random days until single days are left. Each half takes a
 * random share of the variance, so that volatility clusters on the scales of weeks and months. The point between the
 * halves is drawn from the bridge. Over months a bridge as long as this is a free random walk (the variance of a return
 * over a year falls short of 365 days' by 2 %), and yet no price drifts away for ever.
 *
 * Each driver has its own path and its own variances, and an instrument is a fixed sum of the paths of its drivers. Two
 * instruments therefore correlate through the same path, and neither leads the other, however much their variances
 * differ.
 */
import type { Draws, Mix, Weights } from "../kernel/factors.ts"

/** The path of one driver over a span, in deviations of a typical day. */
export interface Walk {
  readonly open: number
  readonly close: number
  readonly variance: number
  /** Standardised return of the part before: volatility leans against it. */
  readonly before: number
}

/** Ends of an interval of whole days (days since 1970) with its variance. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly open: number
  readonly close: number
  readonly variance: number
  readonly walks: ReadonlyArray<Walk>
}

/** What lasts hours to weeks: a directed market, one that goes nowhere, or a fall that feeds on itself. */
export type RegimeLabel = "trend_up" | "trend_down" | "range" | "panic"

export interface DayModel {
  /** Expected log price at a midnight, without noise. */
  readonly anchor: (day: number) => number
  /** Standard deviation of a typical day's log return. */
  readonly dailySd: number
  /** Relative activity of a day: weekends are quieter. */
  readonly weight: (day: number) => number
  /** How many drivers the instrument has, their weights in its typical return, and in that of its market. */
  readonly drivers: number
  readonly loadings: Weights
  readonly marketLoadings: Weights
  /** Numbers at an address of days. */
  readonly draws: (from: number, to: number) => Draws
  /** The market's own numbers at it: what all its instruments agree on (where to cut, which regime). */
  readonly market: (from: number, to: number) => Draws
}

export const eraDays = 16_384
/** 2026-01-01: the midnight that eras are counted from. */
const originDay = 20_454
/** Up to this length (days) halves differ as weather does; years are much alike. */
const longestSeason = 256

/** Log-ratio noise between two halves: each halving adds a quarter of its square to the variance of log volatility. */
const cascadeSd = (length: number): number => length > longestSeason ? 0.22 : length > 12 ? 0.9 : 0.6
/** How far volatility leans against what went before; not on the scale of years. */
const leverageOf = (length: number): number => length > longestSeason ? 0 : length > 24 ? 0.4 : 0.8
/** Noise at an era's ends, in deviations of a typical day: about that of two months. */
const endNoise = 7.5
/** Spans of these lengths (days) are the regimes. */
const regimeDays = { shortest: 4, longest: 24 }
/** Now and then one part of a regime takes most of its variance, in all of a market: a panic, if it falls. */
const panicChance = 0.07
const panicHeat = 1.3

const slot = { end: 0, cut: 2, share: 4, point: 5, panic: 8, side: 10 }

export const eraOf = (day: number): number => Math.floor((day - originDay) / eraDays)

/** Variance of the sum of walks, each times its loading. */
const varianceOf = (loadings: Weights, walks: ReadonlyArray<Walk>): number => {
  let sum = 0
  for (let i = 0; i < walks.length; i++) sum += loadings[i]! * loadings[i]! * walks[i]!.variance
  return sum
}

/** The weights that add up standardised walks to a return of variance 1. */
const weightsOf = (loadings: Weights, walks: ReadonlyArray<Walk>): Weights => {
  const variance = varianceOf(loadings, walks)
  const weight = (i: number): number => i < walks.length ? loadings[i]! * Math.sqrt(walks[i]!.variance / variance) : 0
  return [weight(0), weight(1), weight(2), weight(3)]
}

/** A span of the instrument: its drivers' walks, each times its loading, added up. */
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
    // Growth goes by time in every regime. Growth by variance would pay for calling a wild time, as after a fall.
    open: anchor(from) + dailySd * open,
    close: anchor(to) + dailySd * close,
    variance: dailySd ** 2 * varianceOf(loadings, walks),
    walks
  }
}

/** What the bars of a span need to know of its drivers. */
export interface Drive {
  /** Weights of the drivers in the return: a driver that is wild has more than its usual one. */
  readonly mix: Mix
  /** Standardised return of the market, and that of the part before. */
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

/** A whole era. */
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
  // Long spans hold whole weeks: their weight is their length.
  if (to - from > 28) return to - from
  let sum = 0
  for (let day = from; day < to; day++) sum += model.weight(day)
  return sum
}

/**
 * The two parts of a walk, the first of which has the share `first` of its variance: the bridge's own law in every
 * regime. Given their variances the parts are independent, and no fall tells whether the price comes back.
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

/** The two parts of a span of more than one day. */
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

/** What a span of regime length is called, by how far it goes for its variance and how much of that it has. */
export const regimeOf = (span: Span, dailySd: number): RegimeLabel => {
  const directed = (span.close - span.open) / Math.sqrt(span.variance)
  const heat = span.variance / (dailySd ** 2 * (span.to - span.from))
  if (heat > 1.6 && directed < -0.8) return "panic"
  if (directed > 0.6) return "trend_up"
  if (directed < -0.6) return "trend_down"
  return "range"
}

export const isRegimeLength = (span: Span): boolean => span.to - span.from <= regimeDays.longest
