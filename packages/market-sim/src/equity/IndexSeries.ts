/**
 * The series of an index: its members' prices times their weights, over a divisor.
 *
 * At the opening, at every hour of a session, at the close and at midnight it is that sum. Between these points it is a
 * path of its own on the drivers that its members share, so that a day's candle needs no member's minutes.
 */
import { partsOf } from "../path/ladder.ts"
import { type Segment, Series, type SeriesCache } from "../path/Series.ts"
import type { EquityMarket } from "./EquityMarket.ts"
import { makeEquityModel, sessionIndex } from "./equitySeries.ts"
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

export class IndexSeries extends Series {
  readonly #options: IndexSeriesOptions
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

  protected override known(segments: ReadonlyArray<Segment>, index: number): ReadonlyArray<number> {
    const { members, divisor } = this.#members
    const { start, seconds } = segments[index]!
    const inSession = segments.length > 1 && index === sessionIndex
    const count = inSession ? (partsOf(seconds)?.length ?? 1) : 1
    const sums = new Float64Array(count + 1)
    for (const { market, weight } of members) {
      const bar = market.segmentBar(start)
      sums[0]! += weight * Math.exp(bar.open)
      for (let i = 1; i < count; i++) sums[i]! += weight * Math.exp(bar.points[i - 1]!)
      sums[count]! += weight * Math.exp(bar.close)
    }
    return Array.from(sums, (sum) => Math.log(sum / divisor))
  }
}
