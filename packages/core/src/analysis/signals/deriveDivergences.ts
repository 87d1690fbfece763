import { Effect } from "effect"
import { mapReading } from "../../market/reading.ts"
import { hourMs } from "../../market/timeframe.ts"
import { averagesFrom } from "./averages.ts"
import { closedHours } from "./closedHours.ts"
import { type Derivation, lastFull, requireTrading } from "./derivation.ts"
import type { DerivedError } from "./derivedError.ts"
import { comparedSince, type Divergences, recentDivergences } from "./divergence.ts"
import { scoreRecord } from "./remembered/records.ts"
import { rememberNewest } from "./remembered/rememberNewest.ts"

/** Derives divergences of price and RSI at the last closed hour. */
export const deriveDivergences = ({ derivatives, prices }: Derivation) => {
  const compute = Effect.fnUntraced(function*(coin: string, to: number) {
    return mapReading(
      yield* closedHours(prices, coin, to, averagesFrom),
      (candles) => ({ found: recentDivergences(candles), since: comparedSince(candles) })
    )
  })

  const newest = rememberNewest<Divergences, DerivedError>()
  return Effect.fnUntraced(function*(coin: string) {
    yield* requireTrading(prices, coin)
    const to = yield* lastFull(hourMs)
    return yield* newest(coin, to, scoreRecord({ derivatives, prices }, coin), compute(coin, to))
  })
}
