import { Effect } from "effect"
import type { DerivedStore } from "../../../analysis/signals/DerivedStore.ts"
import type { CoinPrices } from "../../../market/CoinPrices.ts"
import type { EquityCountry } from "../../../market/instrument.ts"
import type { StoredEquities } from "../../../market/StoredEquities.ts"
import type { WatchSpec } from "../task.ts"
import { type Minutes, type SeriesByKey, seriesKey, type SeriesRequest } from "./minuteSeries.ts"
import { readCoinSeries } from "./readCoinSeries.ts"
import { makeScoreReader } from "./readScoreSeries.ts"
import { makeShareReader } from "./readShareSeries.ts"

export interface WatchSources {
  readonly prices: CoinPrices["Service"]
  readonly equities: StoredEquities["Service"]
  readonly derived: DerivedStore["Service"]
}

/**
 * Reads the minute series that the requests need, up to the minute `until`. The result has one series per key, as
 * `seriesKey` returns it. Series of unavailable sources are omitted.
 */
export type SeriesReader = (requests: ReadonlyArray<SeriesRequest>, until: number) => Effect.Effect<SeriesByKey>

const distinctSpecs = (requests: ReadonlyArray<SeriesRequest>): ReadonlyArray<WatchSpec> => [
  ...new Map(requests.map(({ spec }) => [seriesKey(spec), spec])).values()
]

const minutesToRead = (requests: ReadonlyArray<SeriesRequest>, until: number): Minutes => ({
  after: requests.reduce((earliest, { after }) => Math.min(earliest, after), until),
  until
})

const noSeries: SeriesByKey = new Map()

/**
 * Creates the reader of the minute series for all kinds of watches. The number of reads does not depend on the number
 * of watches.
 */
export const makeSeriesReader = ({ derived, equities, prices }: WatchSources): SeriesReader => {
  const readShareSeries = makeShareReader(equities)
  const readScoreSeries = makeScoreReader(derived)

  /** Logs the failure of a source and returns no series, so that watches on the source are evaluated later. */
  const isolateFailure = <E extends { readonly message: string }>(
    description: string,
    read: Effect.Effect<SeriesByKey, E>
  ) =>
    Effect.catch(read, (error) =>
      Effect.as(
        Effect.logWarning(`Watches of ${description} cannot be evaluated now: ${error.message}`),
        noSeries
      ))

  return Effect.fnUntraced(function*(requests, until) {
    const requestsWhere = (predicate: (spec: WatchSpec) => boolean) => requests.filter(({ spec }) => predicate(spec))
    const shareReads = (country: EquityCountry, market: WatchSpec["market"], description: string) => {
      const shareRequests = requestsWhere((spec) => spec.market === market)
      return shareRequests.length === 0
        ? []
        : [
          isolateFailure(
            description,
            readShareSeries(country, distinctSpecs(shareRequests), minutesToRead(shareRequests, until))
          )
        ]
    }
    const scoreRequests = requestsWhere(({ metric }) => metric === "score")
    const coinRequests = requestsWhere(({ market, metric }) => market === "coin" && metric !== "score")
    const crossingRequests = coinRequests.filter(({ spec }) => spec.metric === "vwap_cross")
    const reads = [
      ...(coinRequests.length === 0
        ? []
        : [
          isolateFailure(
            "coins",
            readCoinSeries(prices, distinctSpecs(coinRequests), minutesToRead(coinRequests, until), crossingRequests)
          )
        ]),
      ...shareReads("US", "us", "US shares"),
      ...shareReads("KR", "kr", "Korean shares"),
      ...(scoreRequests.length === 0
        ? []
        : [
          isolateFailure("scores", readScoreSeries(distinctSpecs(scoreRequests), minutesToRead(scoreRequests, until)))
        ])
    ]
    const seriesMaps = yield* Effect.all(reads, { concurrency: "unbounded" })
    return new Map(seriesMaps.flatMap((series) => [...series]))
  })
}
