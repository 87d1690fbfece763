import { Effect } from "effect"
import type { MarketError } from "../market/errors.ts"
import type { MarketStore } from "../market/MarketStore.ts"
import { dayMs, hourMs } from "../market/timeframe.ts"
import { type ComputedDay, readByDay } from "./byDay.ts"
import { firstFrom } from "./columns.ts"
import { fundingSample, type HourlyMarket, type ScoredHour, scoreHours, warmUpHours } from "./score.ts"

/** Coin-days remembered: forty coins over the 93 days that hit rates look at, and room for more. */
const capacity = 4_096

/** An empty series in place of `NoData`. */
export const orEmpty = <A>(effect: Effect.Effect<ReadonlyArray<A>, MarketError>): Effect.Effect<ReadonlyArray<A>, MarketError> =>
  Effect.catchTag(effect, "NoData", () => Effect.succeed<ReadonlyArray<A>>([]))

/**
 * One coin's closed hours with openings in `[from, to)`, and the perpetual from a day before (the change of open interest
 * looks back that far). What does not exist is empty.
 */
export const readHours = Effect.fnUntraced(function*(
  market: MarketStore["Service"],
  coin: string,
  query: { readonly from: number; readonly derivativesFrom: number; readonly to: number }
): Effect.fn.Return<HourlyMarket, MarketError> {
  const { derivativesFrom, from, to } = query
  const candles = yield* orEmpty(market.candleRange({ coin, timeframe: "1h", from, to }))
  if (candles.length === 0) return { candles, derivatives: [], fundingPrints: [] }
  const derivatives = yield* orEmpty(
    market.derivativesHistory({ coin, from: derivativesFrom, to: to + 1, stepMs: hourMs })
  )
  if (derivatives.length === 0) return { candles, derivatives, fundingPrints: [] }
  const payments = Math.ceil((to - derivativesFrom) / (8 * hourMs))
  const fundingPrints = yield* orEmpty(market.fundingPrints({ coin, count: fundingSample + payments + 1, until: to }))
  return { candles, derivatives, fundingPrints }
})

/**
 * Scored hours by coin: each UTC day starts its averages `warmUpHours` before its midnight, so that an hour's score does
 * not depend on the hours asked for.
 *
 * @returns reads the hours of a coin whose closes lie in `(from, to]`, both full hours, `to` not in the future.
 */
export const makeHourlyScores = (market: MarketStore["Service"]) =>
  readByDay<ScoredHour, MarketError>(
    capacity,
    Effect.fnUntraced(function*(coin, days, to) {
      const end = Math.min(to, days[days.length - 1]! + dayMs)
      const read = yield* readHours(market, coin, {
        from: days[0]! - warmUpHours * hourMs,
        derivativesFrom: days[0]! - dayMs,
        to: end
      })
      return new Map(days.map((day): [number, ComputedDay<ScoredHour>] => {
        const until = Math.min(end, day + dayMs)
        const candles = read.candles.slice(
          firstFrom(read.candles, day - warmUpHours * hourMs),
          firstFrom(read.candles, until)
        )
        const hours = scoreHours({ ...read, candles }, day)
        const whole = hours[hours.length - 1]?.time === until &&
          (read.derivatives.length === 0 || read.derivatives[firstFrom(read.derivatives, until)]?.time === until)
        return [day, { hours, whole }]
      }))
    })
  )
