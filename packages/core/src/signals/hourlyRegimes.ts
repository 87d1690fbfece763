import { Effect } from "effect"
import type { MarketError } from "../market/errors.ts"
import type { MarketStore } from "../market/MarketStore.ts"
import { dayMs, hourMs } from "../market/timeframe.ts"
import { type ComputedHour, dayOfClose, readByHour } from "./byHour.ts"
import { firstFrom } from "./columns.ts"
import { orEmpty } from "./hourlyScores.ts"
import { type RegimeHour, regimeHours, regimeWarmUpHours } from "./regime.ts"

/** Days remembered. */
const capacity = 256

/**
 * The market's regime by the hour. Each UTC day looks `regimeWarmUpHours` back from its midnight, so that an hour's
 * regime does not depend on the hours asked for.
 *
 * @returns reads the hours whose closes lie in `(from, to]`, both full hours, `to` not in the future. Hours before BTC
 * has enough history are missing.
 */
export const makeHourlyRegimes = (market: MarketStore["Service"]) => {
  const warmUpMs = regimeWarmUpHours * hourMs
  const read = readByHour<RegimeHour, MarketError>(
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
      const computed: Array<ComputedHour<RegimeHour>> = []
      for (let day = dayOfClose(from + hourMs); day < to; day += dayMs) {
        const slice = btc.slice(firstFrom(btc, day - warmUpMs), firstFrom(btc, Math.min(to, day + dayMs)))
        for (const value of regimeHours(slice, eth, Math.max(from, day))) {
          computed.push({ value, whole: stored(value.time - hourMs) })
        }
      }
      return computed
    })
  )
  return (from: number, to: number) => read("market", from, to)
}
