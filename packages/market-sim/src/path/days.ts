/**
 * The price at the midnights, and the variance of each day: the part of the tree above the bars.
 *
 * Time is cut into eras of 16,384 days, of which one begins with 2026. At their ends the log price is an anchor (a slow
 * growth) and a little noise; inside, eras are halved at random days until single days are left, each half taking a
 * random share of the variance (clustering on the scales of weeks and months) and the point between them drawn from
 * the bridge. Over months a bridge as long as this is a free random walk (the variance of a return over a year falls
 * short of 365 days' by 2 %), and yet no price drifts away for ever.
 */
import type { Draws } from "../kernel/factors.ts"

/** Ends of an interval of whole days (days since 1970) with its variance. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly open: number
  readonly close: number
  readonly variance: number
  readonly before: number
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

const eraEnd = (day: number, model: DayModel): number =>
  model.anchor(day) + model.dailySd * endNoise * model.draws(day, day).normal(slot.end)

/** A whole era. */
export const era = (index: number, model: DayModel): Span => {
  const from = originDay + index * eraDays
  const to = from + eraDays
  return {
    from,
    to,
    open: eraEnd(from, model),
    close: eraEnd(to, model),
    variance: model.dailySd ** 2 * eraDays,
    before: 0
  }
}

const weightOf = (from: number, to: number, model: DayModel): number => {
  // Long spans hold whole weeks: their weight is their length.
  if (to - from > 28) return to - from
  let sum = 0
  for (let day = from; day < to; day++) sum += model.weight(day)
  return sum
}

/** The two parts of a span of more than one day. */
export const halve = (span: Span, model: DayModel): readonly [Span, Span] => {
  const { from, to, open, close, variance } = span
  const length = to - from
  const market = model.market(from, to)
  const own = model.draws(from, to)
  const cut = from + Math.max(1, Math.min(length - 1, Math.round(length * (0.3 + 0.4 * market.uniform(slot.cut)))))

  const isRegime = length >= regimeDays.shortest && length <= regimeDays.longest
  const isPanic = isRegime && market.uniform(slot.panic) < panicChance

  let ratio = Math.log(weightOf(from, cut, model) / weightOf(cut, to, model))
    + cascadeSd(length) * own.volatility(slot.share)
    - leverageOf(length) * Math.max(-3, Math.min(3, span.before))
  if (isPanic) ratio += market.uniform(slot.side) < 0.5 ? panicHeat : -panicHeat
  const first = 1 / (1 + Math.exp(-ratio))

  // About the anchor's growth, which goes by time, the bridge's own law in every regime: given their variances the two
  // parts are independent, and no fall tells whether the price comes back. Growth by variance would pay for calling
  // a wild time, as after a fall; a bend that returns to the span's end would be a rebound to bet on.
  const begin = open - model.anchor(from)
  const end = close - model.anchor(to)
  const firstVariance = variance * first
  const walk = first * (end - begin) + Math.sqrt(firstVariance * (1 - first)) * own.normal(slot.point)
  const between = begin + walk + model.anchor(cut)

  return [
    { from, to: cut, open, close: between, variance: firstVariance, before: span.before },
    {
      from: cut,
      to,
      open: between,
      close,
      variance: variance - firstVariance,
      before: walk / Math.sqrt(firstVariance)
    }
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
