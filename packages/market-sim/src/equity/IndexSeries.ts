/** The series of an index: the weighted sum of its members' prices, divided by a constant divisor. */
import { BoundedCache } from "../kernel/cache.ts"
import type { DriverWeights } from "../kernel/Drivers.ts"
import type { Bar } from "../path/bar.ts"
import { getPartLengths } from "../path/intervalLadder.ts"
import { type Segment, Series, type SeriesCache } from "../path/Series.ts"
import type { EquityMarket } from "./EquityMarket.ts"
import { getSegmentDay, getSegments, makeEquityModel, sessionIndex } from "./equitySeries.ts"
import type { IndexSpec } from "./stocks.ts"

/** A stock in an index, whose weight is a number of shares at the reference time. */
export interface IndexMember {
  readonly market: EquityMarket
  readonly weight: number
}

export interface IndexSeriesOptions {
  readonly seed: number | string
  readonly id: number
  readonly spec: IndexSpec
  /** The time at which the index equals the level in its specification. */
  readonly referenceTime: number
  readonly cache: SeriesCache
  /**
   * Returns the members of the index. The function is called only once, when a level of the index is first computed.
   */
  readonly members: () => ReadonlyArray<IndexMember>
}

/** The interval between two calculations of an index, in seconds. */
export const stepSeconds = 300
/** The number of sessions whose index levels are cached, at about 600 bytes per session. */
const cachedSessions = 1_024

const zeroMix: DriverWeights = { returns: [0, 0, 0, 0], marketReturn: [0, 0, 0, 0] }

/**
 * Creates a bar from the consecutive log levels `values` of an index. `points` are the log levels at the ends of the
 * bar's parts.
 */
const makeBar = (start: number, seconds: number, values: Float64Array, points: ReadonlyArray<number>): Bar => ({
  start,
  seconds,
  open: values[0]!,
  close: values.at(-1)!,
  high: values.reduce((high, value) => Math.max(high, value)),
  low: values.reduce((low, value) => Math.min(low, value)),
  points,
  // An index has no trades, and its bars are never divided at random, so the remaining fields are zero or empty.
  variance: 0,
  mix: zeroMix,
  marketReturn: 0,
  previousMarketReturn: 0,
  shares: [],
  marketReturns: [],
  highPart: -1,
  lowPart: -1,
  volume: 0,
  takerBuyVolume: 0,
  value: 0,
  takerBuyPerLogPoint: 0,
  pendingTakerBuy: 0,
  settledTakerBuy: 0
})

/** Returns the lengths of an interval's parts. No part is shorter than the time between two index calculations. */
const getStepLengths = (seconds: number): ReadonlyArray<number> =>
  seconds <= stepSeconds ? [] : getPartLengths(seconds) ?? []

export class IndexSeries extends Series {
  readonly #options: IndexSeriesOptions
  readonly #logLevelsByDay = new BoundedCache<Float64Array>(cachedSessions)
  #memoisedBasket: { readonly members: ReadonlyArray<IndexMember>; readonly divisor: number } | undefined

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

  get #resolvedBasket() {
    if (this.#memoisedBasket === undefined) {
      const { members, referenceTime, spec } = this.#options
      const indexMembers = members()
      const sum = indexMembers.reduce(
        (total, { market, weight }) => total + weight * Math.exp(market.getLogPrice(referenceTime)),
        0
      )
      this.#memoisedBasket = { members: indexMembers, divisor: sum / spec.value }
    }
    return this.#memoisedBasket
  }

  getLogLevel(time: number): number {
    const { members, divisor } = this.#resolvedBasket
    let sum = 0
    for (const { market, weight } of members) sum += weight * Math.exp(market.getLogPrice(time))
    return Math.log(sum / divisor)
  }

  /** Returns the log levels of the index at the opening of a session and after each calculation. */
  #computeLogLevels(day: number, { seconds, start }: Segment): Float64Array {
    return this.#logLevelsByDay.get(day, () => {
      const { members, divisor } = this.#resolvedBasket
      const sums = new Float64Array(seconds / stepSeconds + 1)
      for (const { market, weight } of members) {
        const { closes, open } = market.getSteps(start, stepSeconds)
        sums[0]! += weight * Math.exp(open)
        for (let i = 0; i < closes.length; i++) sums[i + 1]! += weight * Math.exp(closes[i]!)
      }
      return sums.map((sum) => Math.log(sum / divisor))
    })
  }

  #makeStretchBar(start: number, seconds: number): Bar {
    const { country } = this.#options.spec
    const day = getSegmentDay(country, start * 1000)
    const session = getSegments(country, day)[sessionIndex]!
    const first = (start - session.start) / stepSeconds
    const values = this.#computeLogLevels(day, session).subarray(first, first + seconds / stepSeconds + 1)
    let end = 0
    const points = getStepLengths(seconds).map((length) => values[(end += length) / stepSeconds]!)
    return makeBar(start, seconds, values, points)
  }

  protected override makeSegment(day: number, segments: ReadonlyArray<Segment>, index: number): Bar {
    const { seconds, start } = segments[index]!
    return segments.length > 1 && index === sessionIndex
      ? this.#makeStretchBar(start, seconds)
      : super.makeSegment(day, segments, index)
  }

  override getParts(bar: Bar): ReadonlyArray<Bar> {
    let start = bar.start
    return getStepLengths(bar.seconds).map((length) => {
      const part = this.#makeStretchBar(start, length)
      start += length
      return part
    })
  }

  protected override getPath(_: Bar, lengths: ReadonlyArray<number>, index: number, start: number): Bar {
    return this.#makeStretchBar(start, lengths[index]!)
  }
}
