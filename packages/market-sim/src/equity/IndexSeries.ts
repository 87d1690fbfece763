/**
 * The series of an index: its members' prices times their weights, over a divisor.
 *
 * It is that sum at every five minutes of a session, and at any instant outside of one. Within five minutes of a
 * session it is a bridge between two such sums on the drivers that its members share, so that its candles need no
 * member's seconds. Everything longer is added up from these steps.
 */
import { BoundedCache } from "../kernel/cache.ts"
import { type Bar, rootBar } from "../path/bar.ts"
import { partsOf } from "../path/ladder.ts"
import { type Ends, type Path, standardised } from "../path/plan.ts"
import { type Segment, Series, type SeriesCache } from "../path/Series.ts"
import type { EquityMarket } from "./EquityMarket.ts"
import { makeEquityModel, segmentDay, segmentsOf, sessionIndex } from "./equitySeries.ts"
import type { IndexSpec } from "./stocks.ts"

/** A stock of an index; the weight is a number of shares of the reference. */
export interface Member {
  readonly market: EquityMarket
  readonly weight: number
}

export interface IndexSeriesOptions {
  readonly seed: number | string
  readonly id: number
  readonly spec: IndexSpec
  /** When the level is that of the specification. */
  readonly reference: number
  readonly cache: SeriesCache
  /** Asked for once, when the first level is. */
  readonly members: () => ReadonlyArray<Member>
}

const stepSeconds = 300
/** Sessions whose sums and whose steps are remembered: some 600 bytes, and some 100 kB each. */
const rememberedSums = 512
const rememberedSteps = 4

/** Nothing is traded in an index. */
const noTrade = { volume: 0, boughtShare: 0.5, boughtPerRise: 0 }

/** Bars that follow one another, as one whose parts they are. */
const joined = (bars: ReadonlyArray<Bar>, ends: Ends): Bar => {
  const places = bars.map((_, i) => i)
  const highIn = places.reduce((best, i) => bars[i]!.high > bars[best]!.high ? i : best)
  const lowIn = places.reduce((best, i) => bars[i]!.low < bars[best]!.low ? i : best)
  return {
    ...ends,
    high: bars[highIn]!.high,
    low: bars[lowIn]!.low,
    highIn,
    lowIn,
    points: bars.map(({ close }) => close),
    shares: bars.map(({ variance }) => variance / ends.variance),
    volume: 0,
    bought: 0,
    value: 0,
    boughtPerRise: 0
  }
}

export class IndexSeries extends Series {
  readonly #options: IndexSeriesOptions
  readonly #sums = new BoundedCache<Float64Array>(rememberedSums)
  readonly #steps = new BoundedCache<ReadonlyArray<Bar>>(rememberedSteps)
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

  /** Log of the members' sum at an instant. */
  sumAt(time: number): number {
    const { members, divisor } = this.#members
    let sum = 0
    for (const { market, weight } of members) sum += weight * Math.exp(market.pathAt(time))
    return Math.log(sum / divisor)
  }

  /** Logs of the members' sums at a session's opening and after each of its steps. */
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

  /** The bars of a session's steps, in order. */
  #stepsOf(day: number): ReadonlyArray<Bar> {
    return this.#steps.get(day, () => {
      const session = segmentsOf(this.#options.spec.country, day)[sessionIndex]!
      const sums = this.#sumsOf(day, session)
      const { bars } = this.model
      const starts = Array.from({ length: sums.length - 1 }, (_, i) => session.start + i * stepSeconds)
      const activity = starts.map((start) => bars.activity(start, stepSeconds))
      const total = activity.reduce((sum, one) => sum + one, 0)
      let before = 0
      return starts.map((start, i) => {
        const variance = this.day(day).variance * session.share * activity[i]! / total
        const ends = { start, seconds: stepSeconds, open: sums[i]!, close: sums[i + 1]!, variance, before }
        before = standardised(ends.close - ends.open, variance)
        return rootBar(ends, noTrade, bars, bars.draws(start, stepSeconds))
      })
    })
  }

  /** A stretch of a session as one bar. */
  #stretch(day: number, start: number, seconds: number): Bar {
    const steps = this.#stepsOf(day).filter((step) => step.start >= start && step.start < start + seconds)
    const lengths = partsOf(seconds)!
    const variance = steps.reduce((sum, step) => sum + step.variance, 0)
    const ends = { start, seconds, open: steps[0]!.open, close: steps.at(-1)!.close, variance, before: 0 }
    let from = start
    return joined(
      lengths[0] === stepSeconds ? steps : lengths.map((length) => {
        const part = this.#stretch(day, from, length)
        from += length
        return part
      }),
      ends
    )
  }

  protected override makeSegment(day: number, segments: ReadonlyArray<Segment>, index: number): Bar {
    const { seconds, start } = segments[index]!
    return segments.length > 1 && index === sessionIndex
      ? this.#stretch(day, start, seconds)
      : super.makeSegment(day, segments, index)
  }

  override parts(bar: Bar): ReadonlyArray<Bar> {
    if (bar.seconds <= stepSeconds) return super.parts(bar)
    const day = segmentDay(this.#options.spec.country, bar.start * 1000)
    const lengths = partsOf(bar.seconds)!
    if (lengths[0] === stepSeconds) {
      return this.#stepsOf(day).filter(({ start }) => start >= bar.start && start < bar.start + bar.seconds)
    }
    let start = bar.start
    return lengths.map((length) => {
      const part = this.#stretch(day, start, length)
      start += length
      return part
    })
  }

  protected override pathOf(bar: Path, lengths: ReadonlyArray<number>, index: number, start: number): Path {
    if (lengths[index]! < stepSeconds) return super.pathOf(bar, lengths, index, start)
    const day = segmentDay(this.#options.spec.country, start * 1000)
    return lengths[index] === stepSeconds
      ? this.#stepsOf(day).find((step) => step.start === start)!
      : this.#stretch(day, start, lengths[index]!)
  }
}
