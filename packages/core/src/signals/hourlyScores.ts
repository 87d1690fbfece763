import { Effect } from "effect"
import type { Compute } from "../compute/Compute.ts"
import type { DerivativesPoint } from "../market/derivative.ts"
import type { MarketError } from "../market/errors.ts"
import type { MarketStore } from "../market/MarketStore.ts"
import { dayMs, hourMs } from "../market/timeframe.ts"
import { dayOfClose, readByHour } from "./byHour.ts"
import { firstFrom } from "./columns.ts"
import type { DerivedError } from "./derivedError.ts"
import type { makeOneByOne } from "./oneByOne.ts"
import { runLong } from "./runLong.ts"
import {
  fundingSample,
  hoursOf,
  type ScoredHour,
  type ScoredMarket,
  settlementMs,
  settlementOf,
  warmUpHours
} from "./score.ts"
import { scoreDaysJob, scoreDaysOf } from "./scoreDays.ts"

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
export const makeHourlyScores = (
  market: MarketStore["Service"],
  compute: typeof Compute["Service"],
  oneByOne: ReturnType<typeof makeOneByOne>
) => {
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
      oneByOne(orEmpty(market.derivativesHistory({ coin, from: since, to: until + 1, stepMs: settlementMs })))
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
    const candles = yield* oneByOne(orEmpty(market.candleRange({ coin, timeframe: "1h", from: since, to })))
    if (candles.length === 0) return { candles, derivatives: [], fundingPrints: [] }
    const derivatives = yield* readPerpetual(coin, from, to)
    const payments = Math.ceil((to - from) / settlementMs) + 1
    const fundingPrints = yield* oneByOne(
      orEmpty(market.fundingPrints({ coin, count: fundingSample + payments, until: to }))
    )
    return { candles, derivatives, fundingPrints }
  })

  return readByHour<ScoredHour, DerivedError>(
    capacity,
    Effect.fnUntraced(function*(coin, from, to) {
      const all = yield* read(coin, from, to)
      const { candles, derivatives, fundingPrints } = all
      const settled = (time: number): boolean =>
        fundingPrints.length === 0 ||
        (derivatives[firstFrom(derivatives, settlementOf(time))]?.time === settlementOf(time) &&
          fundingPrints[firstFrom(fundingPrints, settlementOf(time))]?.time === settlementOf(time))
      const table = yield* runLong(compute, scoreDaysJob, scoreDaysOf(all, from, to))
      return hoursOf(table, candles).map((value) => ({ value, whole: settled(value.time) }))
    })
  )
}
