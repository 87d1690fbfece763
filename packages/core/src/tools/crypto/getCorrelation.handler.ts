import { beta, correlationMatrix } from "@tapeline/quant/volatility"
import { Effect } from "effect"
import { type ClosedBars, readClosedBars } from "../../analysis/signals/closedBars.ts"
import { minPresentShare } from "../../analysis/signals/grid.ts"
import { makeYieldingRunner } from "../../analysis/signals/scheduling.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { sourceText } from "../../market/provenance.ts"
import { dayMs, durationMs } from "../../market/timeframe.ts"
import { getCorrelation } from "./getCorrelation.ts"

const defaultCoinCount = 10
const concurrency = 8

/** Returns the log return of each candle by its closing time. A candle after a gap has no return. */
const computeReturnsByTime = ({ candles, tf }: ClosedBars): ReadonlyMap<number, number> => {
  const length = durationMs[tf]
  const returns = new Map<number, number>()
  for (const [i, { close, time }] of candles.entries()) {
    const previous = candles[i - 1]
    if (previous !== undefined && time - previous.time === length) {
      returns.set(time + length, Math.log(close / previous.close))
    }
  }
  return returns
}

interface CoinReturns {
  readonly coin: string
  readonly bars: ClosedBars
  readonly returns: ReadonlyMap<number, number>
}

/** Returns the log returns of several coins at the times for which every coin has a return, oldest first. */
const alignReturns = (coins: ReadonlyArray<CoinReturns>): ReadonlyArray<Float64Array> => {
  const [first, ...others] = coins
  const times = [...first?.returns.keys() ?? []].filter((time) => others.every(({ returns }) => returns.has(time)))
  return coins.map(({ returns }) => Float64Array.from(times, (time) => returns.get(time)!))
}

const computeMeanOffDiagonal = (matrix: ReadonlyArray<ReadonlyArray<number | null>>): number | null => {
  const pairs = matrix.flatMap((row, i) => row.slice(i + 1)).flatMap((value) => value ?? [])
  return pairs.length === 0 ? null : pairs.reduce((sum, value) => sum + value, 0) / pairs.length
}

export const handler = handlerOf(
  getCorrelation,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const runAfterYield = makeYieldingRunner()
    const readLargestCoins = Effect.gen(function*() {
      const coins = (yield* prices.coins).value.filter((coin) => !coin.isStablecoin && coin.delistedAt === null)
      return coins.slice(0, defaultCoinCount).map(({ coin }) => coin)
    })
    return Effect.fnUntraced(function*({ coins: requestedCoins, days }) {
      const coins = requestedCoins ?? (yield* readLargestCoins)
      const tf = days <= 30 ? "1h" as const : "1d" as const
      const expectedReturns = (days * dayMs) / durationMs[tf]
      const reading = yield* Effect.forEach(
        coins.includes("BTC") ? coins : [...coins, "BTC"],
        (coin) =>
          runAfterYield(readClosedBars(prices, coin, tf, expectedReturns + 1)).pipe(
            Effect.map((bars): CoinReturns => ({ coin, bars, returns: computeReturnsByTime(bars) })),
            Effect.catchTag("NoData", () => Effect.succeed(coin)),
            // The correlations include BTC, even if it was not requested. If the market lacks BTC, the requested coins
            // are still compared.
            Effect.catchTag(
              "UnknownSymbol",
              (error) => coins.includes(coin) ? Effect.fail(error) : Effect.succeed(coin)
            )
          ),
        { concurrency }
      )
      const recordedCoins = reading.filter((one) => typeof one !== "string")
      const end = Math.max(...recordedCoins.map(({ bars }) => bars.end))
      const sufficientCoins = recordedCoins.filter(({ returns }) =>
        [...returns.keys()].filter((time) => time > end - days * dayMs).length >= minPresentShare * expectedReturns
      )
      if (sufficientCoins.length === 0) {
        const symbol = coins.join(", ")
        const reason = recordedCoins.length === 0
          ? { key: "none_priced" } as const
          : { key: "none_recorded", params: { symbol } } as const
        return yield* new NoData({ subject: "correlations", reason })
      }
      const samples = alignReturns(sufficientCoins)
      const correlations = correlationMatrix(samples)
      const indexByCoin = new Map(sufficientCoins.map(({ coin }, i) => [coin, i]))
      const btc = samples[indexByCoin.get("BTC") ?? -1]
      const correlationOf = (a: string, b: string): number | null => {
        const [i, j] = [indexByCoin.get(a), indexByCoin.get(b)]
        return i === undefined || j === undefined ? null : correlations[i]![j]!
      }
      const matrix = coins.map((a) => coins.map((b) => correlationOf(a, b)))
      const excludedCoins = coins.filter((coin) => !indexByCoin.has(coin))
      return {
        days,
        tf,
        coins,
        matrix,
        beta_to_btc: coins.map((coin) => {
          const coinReturns = samples[indexByCoin.get(coin) ?? -1]
          return { coin, beta: coinReturns === undefined || btc === undefined ? null : beta(coinReturns, btc) }
        }),
        mean_correlation: computeMeanOffDiagonal(matrix),
        n: samples[0]!.length,
        notes: [
          ...excludedCoins.length > 0
            ? [`Null because less than two thirds of the days are recorded: ${excludedCoins.join(", ")}.`]
            : [],
          ...btc === undefined ? ["beta_to_btc is null: too few candles of BTC are recorded."] : []
        ],
        as_of: formatInstant(Math.min(...sufficientCoins.map(({ bars }) => bars.end))),
        source: sourceText(...sufficientCoins.map(({ bars }) => bars))
      }
    })
  })
)
