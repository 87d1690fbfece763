import { Effect } from "effect"
import type { Compute } from "../compute/Compute.ts"
import type { MarketStore } from "../market/MarketStore.ts"
import { hourMs } from "../market/timeframe.ts"
import { dayOfClose, readByHour } from "./byHour.ts"
import { columnsOf, firstFrom } from "./columns.ts"
import type { DerivedError } from "./derivedError.ts"
import { orEmpty } from "./hourlyScores.ts"
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
export const makeHourlyRegimes = (market: MarketStore["Service"], compute: typeof Compute["Service"]) => {
  const warmUpMs = regimeWarmUpHours * hourMs
  const read = readByHour<RegimeHour, DerivedError>(
    capacity,
    Effect.fnUntraced(function*(_, from, to) {
      const range = { timeframe: "1h", from: dayOfClose(from + hourMs) - warmUpMs, to } as const
      const btc = yield* orEmpty(market.candleRange({ coin: "BTC", ...range }))
      const eth = yield* Effect.catchTag(
        orEmpty(market.candleRange({ coin: "ETH", ...range })),
        "UnknownSymbol",
        () => Effect.succeed([])
      )
      const stored = (open: number): boolean => eth.length === 0 || eth[firstFrom(eth, open)]?.time === open
      const wanted = { btc: columnsOf(btc), eth: ethClosesOf(eth), from, to }
      const table = yield* runLong(compute, regimeDaysJob, wanted)
      return regimesOf(table).map((value) => ({ value, whole: stored(value.time - hourMs) }))
    })
  )
  return (from: number, to: number) => read("market", from, to)
}
