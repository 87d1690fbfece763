import { valueAtRisk } from "@tapeline/quant/risk"
import { correlationMatrix } from "@tapeline/quant/volatility"
import { Effect } from "effect"
import { type ClosedBars, readClosedBars } from "../../analysis/signals/closedBars.ts"
import { makeOneByOne } from "../../analysis/signals/oneByOne.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import { dayMs } from "../../market/timeframe.ts"
import type { CoinExposure } from "./exposure.ts"

/** The number of days in the returns, and the minimum number of days of a coin. */
const [days, leastDays] = [90, 30]

/** The minimum correlation at which two coins count as moving together. */
export const together = 0.8

interface CoinDays {
  readonly coin: string
  readonly net: number
  readonly gross: number
  readonly bars: ClosedBars
  /** The ratio of each close to that of the previous day, by the end of the day. */
  readonly ratios: ReadonlyMap<number, number>
}

const ratiosOf = ({ candles }: ClosedBars): ReadonlyMap<number, number> => {
  const found = new Map<number, number>()
  for (const [i, { close, time }] of candles.entries()) {
    const before = candles[i - 1]
    if (before !== undefined && time - before.time === dayMs) found.set(time + dayMs, close / before.close)
  }
  return found
}

/** The joint movement of the held coins, over the days that all of them have. */
export interface Comovement {
  /** The daily loss that is exceeded on one day of twenty, in USD; null if there are too few days. */
  readonly var95: number | null
  readonly n: number
  /** Coins with too few days, which are excluded. */
  readonly left: ReadonlyArray<string>
  readonly coveredUsd: number
  /** Pairs that move together, strongest first. */
  readonly pairs: ReadonlyArray<{ readonly coins: readonly [string, string]; readonly correlation: number }>
  readonly sources: ReadonlyArray<ClosedBars>
}

const pairsOf = (coins: ReadonlyArray<CoinDays>, times: ReadonlyArray<number>): Comovement["pairs"] => {
  const samples = coins.map(({ ratios }) => Float64Array.from(times, (time) => Math.log(ratios.get(time)!)))
  const matrix = correlationMatrix(samples)
  return coins.flatMap((a, i) =>
    coins.slice(i + 1).flatMap((b, j) => {
      const between = matrix[i]![i + 1 + j]!
      const correlation = between === null ? 0 : between * Math.sign(a.net) * Math.sign(b.net)
      return correlation >= together ? [{ coins: [a.coin, b.coin] as const, correlation }] : []
    })
  ).sort((a, b) => b.correlation - a.correlation)
}

/** Computes the joint movement of all held coins. */
export const makeComovement = (prices: CoinPrices["Service"]) => {
  const oneByOne = makeOneByOne()
  return Effect.fnUntraced(function*(held: ReadonlyArray<CoinExposure>) {
    const read = yield* Effect.forEach(
      held,
      ({ coin, gross, net }) =>
        oneByOne(readClosedBars(prices, coin, "1d", days + 1)).pipe(
          Effect.map((bars): CoinDays => ({ coin, gross, net, bars, ratios: ratiosOf(bars) })),
          Effect.catchTags({ NoData: () => Effect.succeed(null), UnknownSymbol: () => Effect.succeed(null) })
        ),
      { concurrency: 8 }
    )
    const coins = read.flatMap((one) => one !== null && one.ratios.size >= leastDays ? [one] : [])
    const [first, ...others] = coins
    const times = [...first?.ratios.keys() ?? []].filter((time) => others.every(({ ratios }) => ratios.has(time)))
    const results = times.map((time) => coins.reduce((sum, { net, ratios }) => sum + net * (ratios.get(time)! - 1), 0))
    const known = new Set(coins.map(({ coin }) => coin))
    const found: Comovement = {
      var95: coins.length === 0 ? null : valueAtRisk(results, 0.95),
      n: times.length,
      left: held.flatMap(({ coin }) => known.has(coin) ? [] : [coin]),
      coveredUsd: coins.reduce((sum, { gross }) => sum + gross, 0),
      pairs: times.length < leastDays ? [] : pairsOf(coins, times),
      sources: coins.map(({ bars }) => bars)
    }
    return found
  })
}
