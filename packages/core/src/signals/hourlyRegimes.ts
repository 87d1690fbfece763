import { Effect } from "effect"
import type { MarketError } from "../market/errors.ts"
import type { MarketStore } from "../market/MarketStore.ts"
import { dayMs, hourMs } from "../market/timeframe.ts"
import { type ComputedDay, readByDay } from "./byDay.ts"
import { firstFrom } from "./columns.ts"
import { orEmpty } from "./hourlyScores.ts"
import { type RegimeHour, regimeHours, regimeWarmUpHours } from "./regime.ts"

/** Days remembered. */
const capacity = 256

/**
 * The market's regime by the hour: each UTC day looks `regimeWarmUpHours` back from its midnight, so that an hour's regime
 * does not depend on the hours asked for.
 *
 * @returns reads the hours whose closes lie in `(from, to]`, both full hours, `to` not in the future. Hours before BTC has
 * enough history are missing.
 */
export const makeHourlyRegimes = (market: MarketStore["Service"]) => {
  const read = readByDay<RegimeHour, MarketError>(
    capacity,
    Effect.fnUntraced(function*(_, days, to) {
      const warmUpMs = regimeWarmUpHours * hourMs
      const end = Math.min(to, days[days.length - 1]! + dayMs)
      const range = { timeframe: "1h", from: days[0]! - warmUpMs, to: end } as const
      const btc = yield* orEmpty(market.candleRange({ coin: "BTC", ...range }))
      const eth = yield* Effect.catchTag(
        orEmpty(market.candleRange({ coin: "ETH", ...range })),
        "UnknownSymbol",
        () => Effect.succeed([])
      )
      return new Map(days.map((day): [number, ComputedDay<RegimeHour>] => {
        const until = Math.min(end, day + dayMs)
        const slice = btc.slice(firstFrom(btc, day - warmUpMs), firstFrom(btc, until))
        const hours = regimeHours(slice, eth, day)
        const ethEnds = eth.length === 0 || eth[firstFrom(eth, until - hourMs)]?.time === until - hourMs
        return [day, { hours, whole: ethEnds && hours[hours.length - 1]?.time === until }]
      }))
    })
  )
  return (from: number, to: number) => read("market", from, to)
}
