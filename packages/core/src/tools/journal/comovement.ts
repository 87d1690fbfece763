import { valueAtRisk } from "@tapeline/quant/risk"
import { correlationMatrix } from "@tapeline/quant/volatility"
import { Effect } from "effect"
import { type ClosedBars, readClosedBars } from "../../analysis/signals/closedBars.ts"
import { makeYieldingRunner } from "../../analysis/signals/scheduling.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import { dayMs } from "../../market/timeframe.ts"
import type { CoinExposure } from "./valuation.ts"

/** `days` is the number of daily returns to read. A coin with fewer than `minDays` returns is excluded. */
const [days, minDays] = [90, 30]

/** The minimum correlation at which two coins count as moving together. */
export const minTogetherCorrelation = 0.8

interface CoinDays {
  readonly coin: string
  readonly net: number
  readonly gross: number
  readonly bars: ClosedBars
  /** The ratio of each close to the previous day's close. The key is the end of the day in epoch ms. */
  readonly ratios: ReadonlyMap<number, number>
}

const computeRatios = ({ candles }: ClosedBars): ReadonlyMap<number, number> => {
  const ratios = new Map<number, number>()
  for (const [i, { close, time }] of candles.entries()) {
    const previous = candles[i - 1]
    if (previous !== undefined && time - previous.time === dayMs) ratios.set(time + dayMs, close / previous.close)
  }
  return ratios
}

/** The joint movement of an account's coins. Only days on which all coins have returns are used. */
export interface Comovement {
  /** The one-day value at risk at 95 %, in USD, or null if there are too few days. */
  readonly var95: number | null
  readonly n: number
  readonly excludedCoins: ReadonlyArray<string>
  readonly coveredUsd: number
  /** The pairs of coins that move together, strongest correlation first. */
  readonly pairs: ReadonlyArray<{ readonly coins: readonly [string, string]; readonly correlation: number }>
  readonly sources: ReadonlyArray<ClosedBars>
}

const findPairs = (coins: ReadonlyArray<CoinDays>, times: ReadonlyArray<number>): Comovement["pairs"] => {
  const samples = coins.map(({ ratios }) => Float64Array.from(times, (time) => Math.log(ratios.get(time)!)))
  const matrix = correlationMatrix(samples)
  return coins.flatMap((a, i) =>
    coins.slice(i + 1).flatMap((b, j) => {
      const correlationOrNull = matrix[i]![i + 1 + j]!
      const correlation = correlationOrNull === null ? 0 : correlationOrNull * Math.sign(a.net) * Math.sign(b.net)
      return correlation >= minTogetherCorrelation ? [{ coins: [a.coin, b.coin] as const, correlation }] : []
    })
  ).sort((a, b) => b.correlation - a.correlation)
}

export const makeComovementReader = (prices: CoinPrices["Service"]) => {
  const runAfterYield = makeYieldingRunner()
  return Effect.fnUntraced(function*(exposures: ReadonlyArray<CoinExposure>) {
    const coinDaysOrNull = yield* Effect.forEach(
      exposures,
      ({ coin, gross, net }) =>
        runAfterYield(readClosedBars(prices, coin, "1d", days + 1)).pipe(
          Effect.map((bars): CoinDays => ({ coin, gross, net, bars, ratios: computeRatios(bars) })),
          Effect.catchTags({ NoData: () => Effect.succeed(null), UnknownSymbol: () => Effect.succeed(null) })
        ),
      { concurrency: 8 }
    )
    const coins = coinDaysOrNull.flatMap((entry) => entry !== null && entry.ratios.size >= minDays ? [entry] : [])
    const [first, ...others] = coins
    const times = [...first?.ratios.keys() ?? []].filter((time) => others.every(({ ratios }) => ratios.has(time)))
    const results = times.map((time) => coins.reduce((sum, { net, ratios }) => sum + net * (ratios.get(time)! - 1), 0))
    const includedCoins = new Set(coins.map(({ coin }) => coin))
    const comovement: Comovement = {
      var95: coins.length === 0 ? null : valueAtRisk(results, 0.95),
      n: times.length,
      excludedCoins: exposures.flatMap(({ coin }) => includedCoins.has(coin) ? [] : [coin]),
      coveredUsd: coins.reduce((sum, { gross }) => sum + gross, 0),
      pairs: times.length < minDays ? [] : findPairs(coins, times),
      sources: coins.map(({ bars }) => bars)
    }
    return comovement
  })
}
