import { Effect } from "effect"
import { reading } from "../market/reading.ts"
import { hourMs } from "../market/timeframe.ts"
import { averagesFrom } from "./averages.ts"
import { closedOnly } from "./columns.ts"
import { type Derivation, lastFull, requireTrading } from "./derivation.ts"
import type { DerivedError } from "./derivedError.ts"
import { type PriceDivergence, recentDivergences } from "./divergence.ts"
import { orEmpty } from "./readings.ts"
import { scoreRecord } from "./remembered/records.ts"
import { rememberNewest } from "./remembered/rememberNewest.ts"

/** Divergences of price and RSI at the last closed hour. */
export const deriveDivergences = ({ derivatives, prices }: Derivation) => {
  const compute = Effect.fnUntraced(function*(coin: string, to: number) {
    const candles = yield* orEmpty(prices.candleRange({ coin, timeframe: "1h", from: averagesFrom(to), to }))
    const closed = closedOnly(candles.value)
    const end = closed.length === 0 ? to : closed[closed.length - 1]!.time + hourMs
    return reading(recentDivergences(closed), candles.sources, end)
  })

  const newest = rememberNewest<ReadonlyArray<PriceDivergence>, DerivedError>()
  return Effect.fnUntraced(function*(coin: string) {
    yield* requireTrading(prices, coin)
    const to = yield* lastFull(hourMs)
    return yield* newest(coin, to, scoreRecord({ derivatives, prices }, coin), compute(coin, to))
  })
}
