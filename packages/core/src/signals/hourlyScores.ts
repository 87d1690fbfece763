import { Effect } from "effect"
import type { DerivativesPoint } from "../market/derivative.ts"
import type { MarketError } from "../market/errors.ts"
import type { MarketStore } from "../market/MarketStore.ts"
import { dayMs, hourMs } from "../market/timeframe.ts"
import { type ComputedHour, dayOfClose, readByHour } from "./byHour.ts"
import { firstFrom } from "./columns.ts"
import {
  fundingSample,
  type ScoredHour,
  type ScoredMarket,
  scoreHours,
  settlementMs,
  settlementOf,
  warmUpHours
} from "./score.ts"

/** Coin-days remembered: forty coins over the 93 days that hit rates look at, and room for more. */
const capacity = 4_096

/** An empty series in place of `NoData`. */
export const orEmpty = <A>(
  effect: Effect.Effect<ReadonlyArray<A>, MarketError>
): Effect.Effect<ReadonlyArray<A>, MarketError> =>
  Effect.catchTag(effect, "NoData", () => Effect.succeed<ReadonlyArray<A>>([]))

/**
 * The scores of every coin by the hour. The averages of each UTC day start `warmUpHours` before its midnight, so that
 * an hour's score does not depend on the hours asked for.
 *
 * @returns reads the hours of a coin whose closes lie in `(from, to]`, both full hours, `to` not in the future.
 */
export const makeHourlyScores = (market: MarketStore["Service"]) => {
  /**
   * The perpetual at the settlements that the hours in `(from, to]` look at: the last one, and the one a day before it.
   */
  const readPerpetual = Effect.fnUntraced(function*(
    coin: string,
    from: number,
    to: number
  ): Effect.fn.Return<ReadonlyArray<DerivativesPoint>, MarketError> {
    const first = settlementOf(from + hourMs)
    const last = settlementOf(to)
    const between = (since: number, until: number) =>
      orEmpty(market.derivativesHistory({ coin, from: since, to: until + 1, stepMs: settlementMs }))
    // For a few hours, reading what lies between the two settlements would be most of the work.
    return last - first >= dayMs - settlementMs
      ? yield* between(first - dayMs, last)
      : [...(yield* between(first - dayMs, last - dayMs)), ...(yield* between(first, last))]
  })

  const read = Effect.fnUntraced(function*(
    coin: string,
    from: number,
    to: number
  ): Effect.fn.Return<ScoredMarket, MarketError> {
    const since = dayOfClose(from + hourMs) - warmUpHours * hourMs
    const candles = yield* orEmpty(market.candleRange({ coin, timeframe: "1h", from: since, to }))
    if (candles.length === 0) return { candles, derivatives: [], fundingPrints: [] }
    const derivatives = yield* readPerpetual(coin, from, to)
    const payments = Math.ceil((to - from) / settlementMs) + 1
    const fundingPrints = yield* orEmpty(market.fundingPrints({ coin, count: fundingSample + payments, until: to }))
    return { candles, derivatives, fundingPrints }
  })

  return readByHour<ScoredHour, MarketError>(
    capacity,
    Effect.fnUntraced(function*(coin, from, to) {
      const all = yield* read(coin, from, to)
      const { candles, derivatives, fundingPrints } = all
      const settled = (time: number): boolean =>
        fundingPrints.length === 0 ||
        (derivatives[firstFrom(derivatives, settlementOf(time))]?.time === settlementOf(time) &&
          fundingPrints[firstFrom(fundingPrints, settlementOf(time))]?.time === settlementOf(time))
      const computed: Array<ComputedHour<ScoredHour>> = []
      for (let day = dayOfClose(from + hourMs); day < to; day += dayMs) {
        const slice = candles.slice(
          firstFrom(candles, day - warmUpHours * hourMs),
          firstFrom(candles, Math.min(to, day + dayMs))
        )
        for (const value of scoreHours({ ...all, candles: slice }, Math.max(from, day))) {
          computed.push({ value, whole: settled(value.time) })
        }
      }
      return computed
    })
  )
}
