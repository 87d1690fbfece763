/**
 * The series of an index: the sum of its members' prices times their weights, over a divisor. The index is calculated
 * every five minutes of a session, and longer bars are combined from these values. Between two calculations the index
 * is worth the sum.
 */
import { BoundedCache } from "../kernel/cache.ts"
import type { Mix } from "../kernel/factors.ts"
import type { Bar } from "../path/bar.ts"
import { partsOf } from "../path/ladder.ts"
import { type Segment, Series, type SeriesCache } from "../path/Series.ts"
import type { EquityMarket } from "./EquityMarket.ts"
import { makeEquityModel, segmentDay, segmentsOf, sessionIndex } from "./equitySeries.ts"
import type { IndexSpec } from "./stocks.ts"

/** A stock of an index. The weight is a number of shares of the reference. */
export interface Member {
  readonly market: EquityMarket
  readonly weight: number
}

export interface IndexSeriesOptions {
  readonly seed: number | string
  readonly id: number
  readonly spec: IndexSpec
  /** The time at which the index has the level of its specification. */
  readonly reference: number
  readonly cache: SeriesCache
  /** Called once, when the first level is read. */
  readonly members: () => ReadonlyArray<Member>
}

/** The interval between two calculations of an index, in seconds. */
export const stepSeconds = 300
/** The number of sessions whose values are cached, some 600 bytes each. */
const rememberedSessions = 1_024

const unmixed: Mix = { returns: [0, 0, 0, 0], lead: [0, 0, 0, 0] }

/** The bar of consecutive values, which include the ends of its parts. */
const barOf = (start: number, seconds: number, values: Float64Array, points: ReadonlyArray<number>): Bar => ({
  start,
  seconds,
  open: values[0]!,
  close: values.at(-1)!,
  high: values.reduce((high, value) => Math.max(high, value)),
  low: values.reduce((low, value) => Math.min(low, value)),
  points,
  // Nothing is drawn within the bar, and an index has no trades.
  variance: 0,
  mix: unmixed,
  lead: 0,
  before: 0,
  shares: [],
  leads: [],
  highIn: -1,
  lowIn: -1,
  volume: 0,
  bought: 0,
  value: 0,
  boughtPerRise: 0,
  owed: 0,
  settled: 0
})

/** The lengths of an interval's parts. A step has no parts. */
const lengthsOf = (seconds: number): ReadonlyArray<number> => seconds <= stepSeconds ? [] : partsOf(seconds) ?? []

export class IndexSeries extends Series {
  readonly #options: IndexSeriesOptions
  readonly #sums = new BoundedCache<Float64Array>(rememberedSessions)
  #basket: { readonly members: ReadonlyArray<Member>; readonly divisor: number } | undefined

  constructor(options: IndexSeriesOptions) {
    const { cache, id, seed, spec } = options
    super(
      makeEquityModel({
        seed,
        id,
        name: spec.index,
        country: spec.country,
        level: spec.value,
        growth: 0,
        dailySd: spec.dailySd,
        marketShare: spec.marketShare,
        sectorShare: spec.sector === null ? 0 : (1 - spec.marketShare) * 0.7,
        sector: spec.sector,
        valueScale: 1,
        dailyVolume: () => 1
      }),
      cache
    )
    this.#options = options
  }

  get #members() {
    if (this.#basket === undefined) {
      const { members, reference, spec } = this.#options
      const basket = members()
      const sum = basket.reduce((total, { market, weight }) => total + weight * Math.exp(market.pathAt(reference)), 0)
      this.#basket = { members: basket, divisor: sum / spec.value }
    }
    return this.#basket
  }

  /** The logarithm of the members' sum at a time. */
  sumAt(time: number): number {
    const { members, divisor } = this.#members
    let sum = 0
    for (const { market, weight } of members) sum += weight * Math.exp(market.pathAt(time))
    return Math.log(sum / divisor)
  }

  /** The logarithms of the members' sums at a session's opening and after each of its steps. */
  #sumsOf(day: number, { seconds, start }: Segment): Float64Array {
    return this.#sums.get(day, () => {
      const { members, divisor } = this.#members
      const sums = new Float64Array(seconds / stepSeconds + 1)
      for (const { market, weight } of members) {
        const { closes, open } = market.stepsOf(start, stepSeconds)
        sums[0]! += weight * Math.exp(open)
        for (let i = 0; i < closes.length; i++) sums[i + 1]! += weight * Math.exp(closes[i]!)
      }
      return sums.map((sum) => Math.log(sum / divisor))
    })
  }

  /** A part of a session with a length of the ladder, as one bar. */
  #stretch(start: number, seconds: number): Bar {
    const { country } = this.#options.spec
    const day = segmentDay(country, start * 1000)
    const session = segmentsOf(country, day)[sessionIndex]!
    const first = (start - session.start) / stepSeconds
    const values = this.#sumsOf(day, session).subarray(first, first + seconds / stepSeconds + 1)
    let end = 0
    const points = lengthsOf(seconds).map((length) => values[(end += length) / stepSeconds]!)
    return barOf(start, seconds, values, points)
  }

  protected override makeSegment(day: number, segments: ReadonlyArray<Segment>, index: number): Bar {
    const { seconds, start } = segments[index]!
    return segments.length > 1 && index === sessionIndex
      ? this.#stretch(start, seconds)
      : super.makeSegment(day, segments, index)
  }

  override parts(bar: Bar): ReadonlyArray<Bar> {
    let start = bar.start
    return lengthsOf(bar.seconds).map((length) => {
      const part = this.#stretch(start, length)
      start += length
      return part
    })
  }

  protected override pathOf(_: Bar, lengths: ReadonlyArray<number>, index: number, start: number): Bar {
    return this.#stretch(start, lengths[index]!)
  }
}
