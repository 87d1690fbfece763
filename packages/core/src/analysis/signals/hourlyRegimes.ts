import { Effect } from "effect"
import type { Compute } from "../../engine/compute/Compute.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import { makeReading, type Reading } from "../../market/reading.ts"
import { filterClosed, toColumns } from "./candleColumns.ts"
import { makeCachedReader } from "./dayCache/cachedReads.ts"
import type { DayCaches } from "./dayCache/SeriesCache.ts"
import { regimeRecord } from "./dayCache/seriesRecords.ts"
import type { DerivedError } from "./derivedError.ts"
import { orEmptyList, orIfUnlisted } from "./readings.ts"
import { decodeRegimes, type RegimeHour, regimeLayout } from "./regime.ts"
import { getRegimesStart, regimeDaysJob } from "./regimeDays.ts"
import { runInWorkerIfLong } from "./scheduling.ts"

/**
 * Creates the reader of the market's regime by hour. The averages of each UTC day have a fixed start, so an hour's
 * regime does not depend on the requested hours.
 *
 * @returns a function that reads the hours that close in `(from, to]`, both full hours and not in the future. Omits
 * hours before BTC has enough history.
 */
export const makeHourlyRegimes = (
  prices: CoinPrices["Service"],
  compute: typeof Compute["Service"],
  dayCaches: DayCaches
) => {
  const readRows = makeCachedReader<DerivedError>({
    layout: regimeLayout,
    record: () => regimeRecord({ prices }),
    compute: Effect.fnUntraced(function*(_, from, to) {
      const range = { timeframe: "1h", from: getRegimesStart(from), to } as const
      const readHours = (coin: string) => orIfUnlisted(orEmptyList(prices.candleRange({ coin, ...range })), [])
      const btc = yield* readHours("BTC")
      const eth = yield* readHours("ETH")
      const { values } = yield* runInWorkerIfLong(compute, regimeDaysJob, {
        btc: toColumns(filterClosed(btc.value)),
        eth: toColumns(filterClosed(eth.value)),
        from,
        to
      })
      return values
    })
  }, dayCaches)
  return (from: number, to: number): Effect.Effect<Reading<ReadonlyArray<RegimeHour>>, DerivedError> =>
    Effect.map(readRows("market", from, to), (rows) => {
      const hours = decodeRegimes(rows)
      return makeReading(hours, rows.sources, hours.at(-1)?.time ?? to)
    })
}
