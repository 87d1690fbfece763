import { Effect } from "effect"
import type { Compute } from "../../engine/compute/Compute.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import { type Reading, reading } from "../../market/reading.ts"
import { closedOnly, columnsOf } from "./columns.ts"
import type { DerivedError } from "./derivedError.ts"
import { orEmpty, orUnlisted } from "./readings.ts"
import { type RegimeHour, regimeLayout, regimesOf } from "./regime.ts"
import { regimeDaysJob, regimesFrom } from "./regimeDays.ts"
import { readByDay } from "./remembered/readByDay.ts"
import { regimeRecord } from "./remembered/records.ts"
import type { Remembering } from "./remembered/Shelf.ts"
import { runLong } from "./runLong.ts"

/**
 * Creates the reader of the market's regime by hour. The averages of each UTC day have a fixed start, so an hour's
 * regime does not depend on the requested hours.
 *
 * @returns a function that reads the hours that close in `(from, to]`. Both are full hours, and `to` is not in the
 * future. Omits hours before BTC has enough history.
 */
export const makeHourlyRegimes = (
  prices: CoinPrices["Service"],
  compute: typeof Compute["Service"],
  remembering: Remembering
) => {
  const read = readByDay<DerivedError>({
    layout: regimeLayout,
    record: () => regimeRecord({ prices }),
    compute: Effect.fnUntraced(function*(_, from, to) {
      const range = { timeframe: "1h", from: regimesFrom(from), to } as const
      const hoursOf = (coin: string) => orUnlisted(orEmpty(prices.candleRange({ coin, ...range })), [])
      const btc = yield* hoursOf("BTC")
      const eth = yield* hoursOf("ETH")
      const { values } = yield* runLong(compute, regimeDaysJob, {
        btc: columnsOf(closedOnly(btc.value)),
        eth: columnsOf(closedOnly(eth.value)),
        from,
        to
      })
      return values
    })
  }, remembering)
  return (from: number, to: number): Effect.Effect<Reading<ReadonlyArray<RegimeHour>>, DerivedError> =>
    Effect.map(read("market", from, to), (rows) => {
      const hours = regimesOf(rows)
      return reading(hours, rows.sources, hours.at(-1)?.time ?? to)
    })
}
