/**
 * A price series with random access to any bar, time or interval. Each access descends the tree of time once, from its
 * root.
 */
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

/** The caches of all series, by address. */
export interface SeriesCache {
  readonly halves: BoundedCache<readonly [Span, Span]>
  readonly parts: BoundedCache<ReadonlyArray<Bar>>
  readonly paths: BoundedCache<BarPath>
  readonly segments: BoundedCache<Bar>
}

/** Creates caches for `size` divided bars and spans in total, and for a quarter as many paths and as many segments. */
export const makeSeriesCache = (size: number): SeriesCache => ({
  halves: new BoundedCache(size / 2),
  parts: new BoundedCache(size / 2),
  paths: new BoundedCache(size / 4),
  segments: new BoundedCache(size / 4)
})

export interface SeriesModel {
  /** The unique id of the series in its world, below 1,024: a part of the cache keys. */
  readonly id: number
  readonly drivers: Drivers
  /** The drivers of the instrument's market, which are the first of the instrument's own drivers. */
  readonly market: Drivers
  readonly anchor: (day: number) => number
  readonly dailySd: number
  readonly dayWeight: (day: number) => number
  readonly bars: BarModel
  /** The expected number of traded units on a day with the given variance. The series adds noise. */
  readonly dailyVolume: (span: Span) => number
  /** The offset of a segment that begins at this second, in log points: sudden moves that the path does not contain. */
  readonly offset?: (second: number) => number
}

/** The trade and the prices of an interval, in whole units and log prices. */
export interface Sum {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  readonly takerBuyVolume: number
  readonly value: number
}

/** The sum of an interval of whole seconds. */
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

/** Adds the next sum to a sum, in place because a day has many. */
const addInPlace = (sum: MutableSum, next: Sum): void => {
  if (next.high > sum.high) sum.high = next.high
  if (next.low < sum.low) sum.low = next.low
  sum.close = next.close
  sum.volume += next.volume
  sum.takerBuyVolume += next.takerBuyVolume
  sum.value += next.value
}

/** Joins two consecutive sums. */
const joinSums = (sum: Sum, next: Sum): Sum => {
  const result = copySum(sum)
  addInPlace(result, next)
  return result
}

/** A part of a day with its own bar. A coin has one segment for the whole day; a stock's day has three. */
export interface Segment {
  /** Whole seconds since 1970 (UTC). */
  readonly start: number
  readonly seconds: number
  /** The share of the day's variance. */
  readonly share: number
}

/** The maximum number of segments of a day, rounded up. */
const maxSegments = 4
/** The second word of the address of a day's points between its segments. The first word is the day. */
const segmentPointsAddress = -1
/** The first slots of a root bar's draws that its path does not use. */
const volumeNoiseSlot = firstFreeSlot

export class Series {
  readonly model: SeriesModel
  readonly #cache: SeriesCache
  readonly #days: DayModel
  /** The path from an era to the day of the latest request. The next request is mostly near it. */
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
    // The address of a span combines its first day and its length.
    const key = (this.model.id * eraDays + span.to - span.from - 1) * 2 ** 28 + span.from + 2 ** 27
    return this.#cache.halves.get(key, () => halveSpan(span, this.#days))
  }

  /** The largest span of the tree that contains a day and satisfies `isFound`. */
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

  /** One day: the log prices at its two midnights, and its variance. */
  getDay(day: number): Span {
    return this.#findSpan(day, (span) => span.to - span.from === 1)
  }

  /** The regime of a day, with its interval in days. The label uses the whole regime, including its future days. */
  getRegime(day: number): { readonly label: RegimeLabel; readonly from: number; readonly to: number } {
    const span = this.#findSpan(day, isRegimeLength)
    return { label: getRegimeLabel(span, this.model.dailySd), from: span.from, to: span.to }
  }

  protected getDrive(span: Span): DriverState {
    return getDriverState(span, this.#days)
  }

  /** The bar of one segment of a day. The segments are consecutive, and their shares add up to 1. */
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
      // The points between the segments are those of the day's bridge.
      const points = this.model.drivers.at(day, segmentPointsAddress, drive.mix)
      let remainingShare = 1
      let remainingLead = marketReturn
      for (let i = 0; i <= index; i++) {
        if (i > 0) {
          open = close
          previousReturn = marketReturn
        }
        const share = segments[i]!.share / remainingShare
        const remainingAfter = remainingShare - segments[i]!.share
        close = i === segments.length - 1 ? span.close : open + share * (span.close - open)
          + Math.sqrt(span.variance * segments[i]!.share * remainingAfter / remainingShare) * points.normal(i)
        const leadStep = share * remainingLead +
          Math.sqrt(segments[i]!.share * remainingAfter / remainingShare) * points.marketReturn(i)
        remainingLead -= leadStep
        marketReturn = leadStep / Math.sqrt(segments[i]!.share)
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

  /** The parts of a bar. Empty for a bar of a second. */
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
   * Divides `bar` into intervals of at most `seconds`, counted from its start. Returns whole intervals that overlap
   * `[from, to)`, in order.
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
        // A node with the length of a ladder step is an interval already.
        last = node.seconds === seconds ? node : { ...copySum(node), start, seconds: Math.min(seconds, end - start) }
      }
    }
    visit(bar)
    if (last !== undefined) foundIntervals.push(last)
    return foundIntervals
  }

  /** The log price at a second within `bar`, rounded down. At the end of the bar it is the close. */
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
      // A point between two parts is in the bar's own plan.
      if (time === start && index > 0) return node.points[index - 1]!
      node = this.getPath(node, lengths, index, start)
    }
  }

  /** The log prices at the ends of the ladder steps of this length in `bar`, in order. */
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

  /** The path of one part. A price needs no volume, so the neighbours of the part are not drawn. */
  protected getPath(bar: BarPath, lengths: ReadonlyArray<number>, index: number, start: number): BarPath {
    const address = this.#makeCacheKey(lengths[index]!, start)
    return this.#cache.paths.find(address) ??
      this.#cache.paths.set(address, planPart(bar, lengths, index, start, this.model.bars))
  }

  /**
   * Adds up the whole seconds in `[from, to)` of the given bars, from as few nodes as possible. Undefined if there are
   * no seconds to add.
   */
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
