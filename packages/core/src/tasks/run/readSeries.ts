import { Effect } from "effect"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { StoredEquities } from "../../market/StoredEquities.ts"
import type { DerivedStore } from "../../signals/DerivedStore.ts"
import type { WatchSpec } from "../spec.ts"
import { readCoinSeries } from "./readCoins.ts"
import { makeReadScores } from "./readScores.ts"
import { makeReadShares } from "./readShares.ts"
import { type Minutes, type SeriesByKey, seriesKey } from "./series.ts"

/** What watches read. */
export interface WatchSources {
  readonly prices: CoinPrices["Service"]
  readonly equities: StoredEquities["Service"]
  readonly derived: DerivedStore["Service"]
}

/** What some watches look at, by `seriesKey`; of a source that is away, nothing. */
export type ReadSeries = (specs: ReadonlyArray<WatchSpec>, minutes: Minutes) => Effect.Effect<SeriesByKey>

const none: SeriesByKey = new Map()

/** Reads everything that watches look at: as often however many watch it. */
export const makeReadSeries = ({ derived, equities, prices }: WatchSources): ReadSeries => {
  const readShares = makeReadShares(equities)
  const readScores = makeReadScores(derived)

  /** Of what fails the others know nothing: its watches stay where they are, and are judged later. */
  const alone = <E extends { readonly message: string }>(what: string, read: Effect.Effect<SeriesByKey, E>) =>
    Effect.catch(read, (error) =>
      Effect.as(
        Effect.logWarning(`Watches of ${what} wait: ${error.message}`),
        none
      ))

  return Effect.fnUntraced(function*(specs, minutes) {
    const distinct = [...new Map(specs.map((spec) => [seriesKey(spec), spec])).values()]
    const scores = distinct.filter(({ metric }) => metric === "score")
    const of = (market: WatchSpec["market"]) =>
      distinct.filter((spec) => spec.metric !== "score" && spec.market === market)
    const [coins, us, kr] = [of("coin"), of("us"), of("kr")]
    const reads = [
      ...(coins.length === 0 ? [] : [alone("coins", readCoinSeries(prices, coins, minutes))]),
      ...(us.length === 0 ? [] : [alone("US shares", readShares("US", us, minutes))]),
      ...(kr.length === 0 ? [] : [alone("Korean shares", readShares("KR", kr, minutes))]),
      ...(scores.length === 0 ? [] : [alone("scores", readScores(scores, minutes))])
    ]
    const found = yield* Effect.all(reads, { concurrency: "unbounded" })
    return new Map(found.flatMap((series) => [...series]))
  })
}
