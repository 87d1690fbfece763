import { Effect } from "effect"
import type { Compute } from "../compute/Compute.ts"
import type { CoinPrices } from "../market/CoinPrices.ts"
import { sourcesOf } from "../market/reading.ts"
import { hourMs } from "../market/timeframe.ts"
import { dayOfClose, readByHour } from "./byHour.ts"
import { closedOnly, columnsOf, firstFrom } from "./columns.ts"
import type { DerivedError } from "./derivedError.ts"
import { orEmpty } from "./readings.ts"
import { ethClosesOf, type RegimeHour, regimesOf, regimeWarmUpHours } from "./regime.ts"
import { regimeDaysJob } from "./regimeDays.ts"
import { runLong } from "./runLong.ts"

/** Days remembered. */
const capacity = 256

/**
 * The market's regime by the hour. Each UTC day looks `regimeWarmUpHours` back from its midnight, so that an hour's
 * regime does not depend on the hours asked for.
 *
 * @returns reads the hours whose closes lie in `(from, to]`, both full hours, `to` not in the future. Hours before BTC
 * has enough history are missing.
 */
export const makeHourlyRegimes = (prices: CoinPrices["Service"], compute: typeof Compute["Service"]) => {
  const warmUpMs = regimeWarmUpHours * hourMs
  const read = readByHour<RegimeHour, DerivedError>(
    capacity,
    Effect.fnUntraced(function*(_, from, to) {
      const range = { timeframe: "1h", from: dayOfClose(from + hourMs) - warmUpMs, to } as const
      const ofBtc = yield* orEmpty(prices.candleRange({ coin: "BTC", ...range }))
      const ofEth = yield* Effect.catchTag(
        orEmpty(prices.candleRange({ coin: "ETH", ...range })),
        "UnknownSymbol",
        () => Effect.succeed({ value: [], sources: [] })
      )
      const btc = closedOnly(ofBtc.value)
      const eth = closedOnly(ofEth.value)
      const stored = (open: number): boolean => eth.length === 0 || eth[firstFrom(eth, open)]?.time === open
      const wanted = { btc: columnsOf(btc), eth: ethClosesOf(eth), from, to }
      const table = yield* runLong(compute, regimeDaysJob, wanted)
      const hours = regimesOf(table).map((value) => ({ value, whole: stored(value.time - hourMs) }))
      return { hours, sources: sourcesOf([ofBtc, ofEth]) }
    })
  )
  return (from: number, to: number) => read("market", from, to)
}
