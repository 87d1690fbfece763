import { Effect } from "effect"
import type { DerivedStore } from "../../../analysis/signals/DerivedStore.ts"
import type { CoinPrices } from "../../../market/CoinPrices.ts"
import type { EquityCountry } from "../../../market/instrument.ts"
import type { StoredEquities } from "../../../market/StoredEquities.ts"
import type { WatchSpec } from "../spec.ts"
import { readCoinSeries } from "./readCoins.ts"
import { makeReadScores } from "./readScores.ts"
import { makeReadShares } from "./readShares.ts"
import { type Minutes, type SeriesByKey, seriesKey, type Wanted } from "./series.ts"

/** The sources that watches read. */
export interface WatchSources {
  readonly prices: CoinPrices["Service"]
  readonly equities: StoredEquities["Service"]
  readonly derived: DerivedStore["Service"]
}

/** Reads series up to a minute, by `seriesKey`. Omits the series of sources that are unavailable. */
export type ReadSeries = (wanted: ReadonlyArray<Wanted>, until: number) => Effect.Effect<SeriesByKey>

const distinct = (wanted: ReadonlyArray<Wanted>): ReadonlyArray<WatchSpec> => [
  ...new Map(wanted.map(({ spec }) => [seriesKey(spec), spec])).values()
]

const minutesOf = (wanted: ReadonlyArray<Wanted>, until: number): Minutes => ({
  after: wanted.reduce((least, { after }) => Math.min(least, after), until),
  until
})

const none: SeriesByKey = new Map()

/** Creates the reader of all series. The number of reads does not depend on the number of watches. */
export const makeReadSeries = ({ derived, equities, prices }: WatchSources): ReadSeries => {
  const readShares = makeReadShares(equities)
  const readScores = makeReadScores(derived)

  /** Isolates the failure of a source. Its watches keep their state and are judged later. */
  const alone = <E extends { readonly message: string }>(what: string, read: Effect.Effect<SeriesByKey, E>) =>
    Effect.catch(read, (error) =>
      Effect.as(
        Effect.logWarning(`Watches of ${what} wait: ${error.message}`),
        none
      ))

  return Effect.fnUntraced(function*(wanted, until) {
    const of = (isMeant: (spec: WatchSpec) => boolean) => wanted.filter(({ spec }) => isMeant(spec))
    const shares = (country: EquityCountry, market: WatchSpec["market"], what: string) => {
      const some = of((spec) => spec.market === market)
      return some.length === 0 ? [] : [alone(what, readShares(country, distinct(some), minutesOf(some, until)))]
    }
    const scores = of(({ metric }) => metric === "score")
    const coins = of(({ market, metric }) => market === "coin" && metric !== "score")
    const crossing = coins.filter(({ spec }) => spec.metric === "vwap_cross")
    const reads = [
      ...(coins.length === 0
        ? []
        : [alone("coins", readCoinSeries(prices, distinct(coins), minutesOf(coins, until), crossing))]),
      ...shares("US", "us", "US shares"),
      ...shares("KR", "kr", "Korean shares"),
      ...(scores.length === 0 ? [] : [alone("scores", readScores(distinct(scores), minutesOf(scores, until)))])
    ]
    const found = yield* Effect.all(reads, { concurrency: "unbounded" })
    return new Map(found.flatMap((series) => [...series]))
  })
}
