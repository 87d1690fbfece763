import { type MarketRead, minuteMs } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"

export const quote = "USDT"

export const errorResponse = (code: number, msg: string): FakeResponse => ({ status: 400, body: { code, msg } })
export const invalidSymbol = errorResponse(-1121, "Invalid symbol.")
export const invalidInterval = errorResponse(-1120, "Invalid interval.")

/**
 * Returns the value of a market read, or null if the port has no data or does not know the symbol. All other errors of
 * the port become defects.
 */
export const valueOrNull = <A>(read: MarketRead<A>): Effect.Effect<A | null> =>
  read.pipe(
    Effect.map(({ value }) => value),
    Effect.catchTags({ NoData: () => Effect.succeed(null), UnknownSymbol: () => Effect.succeed(null) }),
    Effect.orDie
  )

export const coinOf = (symbol: string | null): string | undefined =>
  symbol !== null && symbol.endsWith(quote) ? symbol.slice(0, -quote.length) : undefined

/** Adds a header with the request weight used in the current minute to each response. */
export const withWeightHeaders = (
  handler: RequestHandler,
  weightOf: (request: FakeRequest) => number
): RequestHandler => {
  let minute = 0
  let usedWeight = 0
  return Effect.fnUntraced(function*(request) {
    const now = yield* Clock.currentTimeMillis
    if (Math.floor(now / minuteMs) !== minute) usedWeight = 0
    minute = Math.floor(now / minuteMs)
    const answer = yield* handler(request)
    if (answer === null) return null
    usedWeight += weightOf(request)
    return {
      ...answer,
      headers: { "x-mbx-used-weight": String(usedWeight), "x-mbx-used-weight-1m": String(usedWeight) }
    }
  })
}
