/** A price series with random access, which divides only the bars that contain the requested time. */
import { BoundedCache } from "../kernel/cache.ts"
import type { Drivers } from "../kernel/Drivers.ts"
import { type Bar, divideBar, makeRootBar } from "./bar.ts"
import {
  type DayModel,
  type DriverState,
  eraDays,
  getDriverState,
  getEra,
  getRegimeLabel,
  halveSpan,
  isRegimeLength,
  makeEra,
  type RegimeLabel,
  type Span
} from "./days.ts"
import { getPartLengths, getRank } from "./intervalLadder.ts"
import type { BarEnds, BarModel, BarPath } from "./model.ts"
import { firstFreeSlot, planPart } from "./pathPlan.ts"

/** The caches that all series of a world share. */
export interface SeriesCache {
  readonly halves: BoundedCache<readonly [Span, Span]>
  readonly parts: BoundedCache<ReadonlyArray<Bar>>
  readonly paths: BoundedCache<BarPath>
  readonly segments: BoundedCache<Bar>
}

/** Creates the caches of a world. All caches together keep at most `1.5 * size` entries. */
export const makeSeriesCache = (size: number): SeriesCache => ({
  halves: new BoundedCache(size / 2),
  parts: new BoundedCache(size / 2),
  paths: new BoundedCache(size / 4),
  segments: new BoundedCache(size / 4)
})

export interface SeriesModel {
  /** The id of the series, unique in its world and below 1,024. */
  readonly id: number
  readonly drivers: Drivers
  /**
   * The random drivers that all instruments of the market share. The market's drivers must be the first drivers in
   * `drivers`.
   */
  readonly market: Drivers
  readonly anchor: (day: number) => number
  readonly dailySd: number
  readonly dayWeight: (day: number) => number
  readonly bars: BarModel
  /** Returns the expected trading volume of a day, in whole units. */
  readonly dailyVolume: (span: Span) => number
  /** Returns the sum of all sudden price moves before `second`, in log points. */
  readonly offset?: (second: number) => number
}

/** The log prices and the traded amounts of an interval. The amounts are whole units. */
export interface Sum {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  readonly takerBuyVolume: number
  readonly value: number
}

/** The prices and volumes of an interval of whole seconds. */
export interface Interval extends Sum {
  readonly start: number
  readonly seconds: number
}

type MutableSum = { -readonly [K in keyof Sum]: Sum[K] }

const copySum = ({ open, high, low, close, volume, takerBuyVolume, value }: Sum): MutableSum => ({
  open,
  high,
  low,
  close,
  volume,
  takerBuyVolume,
  value
})

/** Adds the interval `next`, which directly follows the interval `sum`, to `sum`. */
const addInPlace = (sum: MutableSum, next: Sum): void => {
  if (next.high > sum.high) sum.high = next.high
  if (next.low < sum.low) sum.low = next.low
  sum.close = next.close
  sum.volume += next.volume
  sum.takerBuyVolume += next.takerBuyVolume
  sum.value += next.value
}

const joinSums = (sum: Sum, next: Sum): Sum => {
  const result = copySum(sum)
  addInPlace(result, next)
  return result
}

/**
 * A part of a day that is simulated as one bar. A day of a coin has one segment, and a day of a stock has three
 * segments.
 */
export interface Segment {
  /** The start of the segment in whole seconds since 1970 (UTC). */
  readonly start: number
  readonly seconds: number
  /** The segment's share of the day's variance. */
  readonly share: number
}

/** An upper limit for the number of segments of a day. */
const maxSegments = 4
// The counter with which the random numbers of segment points are hashed. The counter differs from every bar length, so
// no bar uses the random numbers of segment points.
const segmentPointsAddress = -1
const volumeNoiseSlot = firstFreeSlot

export class Series {
  readonly model: SeriesModel
  readonly #cache: SeriesCache
  readonly #days: DayModel
  /** Caches the spans that contain the day of the last request. */
  readonly #spanPath: Array<Span> = []

  constructor(model: SeriesModel, cache: SeriesCache) {
    this.model = model
    this.#cache = cache
    this.#days = {
      anchor: model.anchor,
      dailySd: model.dailySd,
      weight: model.dayWeight,
      drivers: model.drivers.count,
      loadings: model.drivers.returns,
      marketLoadings: model.market.returns,
      getDraws: (from, to) => model.drivers.at(from, to, model.drivers.usualMix),
      getMarketDraws: (from, to) => model.market.at(from, to, model.market.usualMix)
    }
  }

  #getHalves(span: Span): readonly [Span, Span] {
    // The cache key of a span combines its first day and its length.
    const key = (this.model.id * eraDays + span.to - span.from - 1) * 2 ** 28 + span.from + 2 ** 27
    return this.#cache.halves.get(key, () => halveSpan(span, this.#days))
  }

  #findSpan(day: number, isFound: (span: Span) => boolean): Span {
    const spanPath = this.#spanPath
    while (spanPath.length > 0 && (day < spanPath.at(-1)!.from || day >= spanPath.at(-1)!.to)) spanPath.pop()
    if (spanPath.length === 0) spanPath.push(makeEra(getEra(day), this.#days))
    for (const span of spanPath) if (isFound(span)) return span
    for (;;) {
      const [first, second] = this.#getHalves(spanPath.at(-1)!)
      const span = day < first.to ? first : second
      spanPath.push(span)
      if (isFound(span)) return span
    }
  }

  /** Returns the log prices at the start and the end of a day, and the variance of the day. */
  getDay(day: number): Span {
    return this.#findSpan(day, (span) => span.to - span.from === 1)
  }

  /**
   * Returns the market regime that contains a day. `from` and `to` are days since 1970. The label depends on prices
   * after the requested day.
   */
  getRegime(day: number): { readonly label: RegimeLabel; readonly from: number; readonly to: number } {
    const span = this.#findSpan(day, isRegimeLength)
    return { label: getRegimeLabel(span, this.model.dailySd), from: span.from, to: span.to }
  }

  protected getDrive(span: Span): DriverState {
    return getDriverState(span, this.#days)
  }

  /** Returns the bar of the segment at `index`. The `share` values of all segments must add up to 1. */
  getSegment(day: number, segments: ReadonlyArray<Segment>, index: number): Bar {
    const key = (this.model.id * maxSegments + index) * 2 ** 32 + day
    return this.#cache.segments.get(key, () => this.makeSegment(day, segments, index))
  }

  protected makeSegment(day: number, segments: ReadonlyArray<Segment>, index: number): Bar {
    const span = this.getDay(day)
    let open = span.open
    let close = span.close
    const drive = this.getDrive(span)
    let { previousReturn, marketReturn } = drive
    if (segments.length > 1) {
      // The prices at the boundaries between segments are points of the day's Brownian bridge.
      const points = this.model.drivers.at(day, segmentPointsAddress, drive.mix)
      let remainingShare = 1
      let remainingMarketReturn = marketReturn
      for (let i = 0; i <= index; i++) {
        if (i > 0) {
          open = close
          previousReturn = marketReturn
        }
        const share = segments[i]!.share / remainingShare
        const remainingAfter = remainingShare - segments[i]!.share
        close = i === segments.length - 1 ? span.close : open + share * (span.close - open)
          + Math.sqrt(span.variance * segments[i]!.share * remainingAfter / remainingShare) * points.normal(i)
        const marketStep = share * remainingMarketReturn +
          Math.sqrt(segments[i]!.share * remainingAfter / remainingShare) * points.marketReturn(i)
        remainingMarketReturn -= marketStep
        marketReturn = marketStep / Math.sqrt(segments[i]!.share)
        remainingShare = remainingAfter
      }
    }
    const { start, share } = segments[index]!
    const offset = this.model.offset?.(start) ?? 0
    const ends = {
      open: open + offset,
      close: close + offset,
      variance: span.variance * share,
      mix: drive.mix,
      marketReturn,
      previousMarketReturn: previousReturn
    }
    return this.#makeRootBar({ ...span, open: span.open + offset }, segments[index]!, ends)
  }

  #makeRootBar(
    span: Span,
    { start, seconds }: Segment,
    ends: Omit<BarEnds, "start" | "seconds">
  ): Bar {
    const draws = this.model.bars.getDraws(start, seconds, ends.mix)
    const volume = this.model.dailyVolume(span) * Math.exp(0.25 * draws.volatility(volumeNoiseSlot))
    return makeRootBar(
      { ...ends, start, seconds },
      { volume: Math.max(1, Math.round(volume)), takerNoise: draws.normal(volumeNoiseSlot + 1) },
      this.model.bars,
      draws
    )
  }

  #makeCacheKey(seconds: number, start: number): number {
    return (this.model.id * 64 + getRank(seconds)) * 2 ** 32 + start
  }

  /** Returns the parts of a bar; a bar of one second has no parts. */
  getParts(bar: Bar): ReadonlyArray<Bar> {
    const lengths = getPartLengths(bar.seconds)
    if (lengths === undefined) return []
    const address = this.#makeCacheKey(bar.seconds, bar.start)
    const cached = this.#cache.parts.find(address)
    if (cached !== undefined) return cached
    const { bars, drivers } = this.model
    return this.#cache.parts.set(
      address,
      divideBar(bar, lengths, bars, drivers.at(bar.start, bar.seconds, drivers.usualMix))
    )
  }

  /**
   * Divides `bar` into intervals of `seconds` seconds, and returns the intervals that overlap `[from, to)`. The last
   * interval of a bar can be shorter.
   */
  getIntervals(bar: Bar, seconds: number, from: number, to: number): ReadonlyArray<Interval> {
    const foundIntervals: Array<Interval> = []
    const end = bar.start + bar.seconds
    const first = bar.start + Math.floor((from - bar.start) / seconds) * seconds
    const untilSecond = bar.start + Math.ceil((to - bar.start) / seconds) * seconds
    let last: Interval | undefined
    const visit = (node: Bar): void => {
      if (node.start >= untilSecond || node.start + node.seconds <= first) return
      if (node.seconds > seconds) {
        for (const part of this.getParts(node)) visit(part)
        return
      }
      const start = bar.start + Math.floor((node.start - bar.start) / seconds) * seconds
      if (last !== undefined && last.start === start) last = { ...last, ...joinSums(last, node) }
      else {
        if (last !== undefined) foundIntervals.push(last)
        // A bar with the length of an interval needs no copy.
        last = node.seconds === seconds ? node : { ...copySum(node), start, seconds: Math.min(seconds, end - start) }
      }
    }
    visit(bar)
    if (last !== undefined) foundIntervals.push(last)
    return foundIntervals
  }

  /** Returns the log price of a bar at second `time`. */
  getLogPrice(bar: Bar, time: number): number {
    if (time <= bar.start) return bar.open
    if (time >= bar.start + bar.seconds) return bar.close
    let node: BarPath = bar
    for (;;) {
      if (time <= node.start || node.seconds === 1) return node.open
      const lengths = getPartLengths(node.seconds) ?? []
      let start = node.start
      let index = 0
      while (index < lengths.length - 1 && time >= start + lengths[index]!) start += lengths[index++]!
      // The price between two parts of a bar is stored in the bar itself.
      if (time === start && index > 0) return node.points[index - 1]!
      node = this.getPath(node, lengths, index, start)
    }
  }

  /** Returns the log prices at the ends of the intervals of length `seconds` in `bar`, in order. */
  getCloses(bar: BarPath, seconds: number): ReadonlyArray<number> {
    const lengths = getPartLengths(bar.seconds) ?? []
    if (bar.seconds <= seconds || lengths.length === 0) return [bar.close]
    if (lengths.every((length) => length <= seconds)) return bar.points
    let start = bar.start
    return lengths.flatMap((length, i) => {
      const part = planPart(bar, lengths, i, start, this.model.bars)
      start += length
      return this.getCloses(part, seconds)
    })
  }

  /** Returns the path of the bar part at `index`, without computing the other parts or any volume. */
  protected getPath(bar: BarPath, lengths: ReadonlyArray<number>, index: number, start: number): BarPath {
    const address = this.#makeCacheKey(lengths[index]!, start)
    return this.#cache.paths.find(address) ??
      this.#cache.paths.set(address, planPart(bar, lengths, index, start, this.model.bars))
  }

  /** Sums the whole seconds in `[from, to)` of the given bars, or returns undefined if there are no seconds to sum. */
  sumInterval(roots: Iterable<Bar>, from: number, to: number): Sum | undefined {
    let sum: MutableSum | undefined
    const visit = (node: Bar): void => {
      if (node.start >= to || node.start + node.seconds <= from) return
      if (node.start >= from && node.start + node.seconds <= to) {
        if (sum === undefined) sum = copySum(node)
        else addInPlace(sum, node)
      } else for (const part of this.getParts(node)) visit(part)
    }
    for (const root of roots) visit(root)
    return sum
  }
}
