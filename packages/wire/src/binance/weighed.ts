import { minuteMs } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { WireRequest } from "../WireRequest.ts"
import type { Speaks } from "../WireServer.ts"

/** Adds headers with the weight used in the current minute to each response, as Binance does. */
export const weighed = (speaks: Speaks, weigh: (request: WireRequest) => number): Speaks => {
  let minute = 0
  let used = 0
  return Effect.fnUntraced(function*(request) {
    const now = yield* Clock.currentTimeMillis
    if (Math.floor(now / minuteMs) !== minute) used = 0
    minute = Math.floor(now / minuteMs)
    const answer = yield* speaks(request)
    if (answer === null) return null
    used += weigh(request)
    return { ...answer, headers: { "x-mbx-used-weight": String(used), "x-mbx-used-weight-1m": String(used) } }
  })
}
