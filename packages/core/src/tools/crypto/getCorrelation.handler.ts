import { beta, correlationMatrix } from "@tapeline/quant/volatility"
import { Effect } from "effect"
import { type ClosedBars, readClosedBars } from "../../analysis/signals/closedBars.ts"
import { leastShare } from "../../analysis/signals/grid.ts"
import { makeOneByOne } from "../../analysis/signals/oneByOne.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { sourceOf } from "../../market/provenance.ts"
import { dayMs, durationMs } from "../../market/timeframe.ts"
import { getCorrelation } from "./getCorrelation.ts"

const largest = 10
const concurrency = 8

/** Returns the log return of each candle that directly follows another, by its closing time. */
const returnsByTime = ({ candles, tf }: ClosedBars): ReadonlyMap<number, number> => {
  const length = durationMs[tf]
  const found = new Map<number, number>()
  for (const [i, { close, time }] of candles.entries()) {
    const before = candles[i - 1]
    if (before !== undefined && time - before.time === length) {
      found.set(time + length, Math.log(close / before.close))
    }
  }
  return found
}

interface CoinReturns {
  readonly coin: string
  readonly bars: ClosedBars
  readonly returns: ReadonlyMap<number, number>
}

/** Returns the returns of several coins at the times that all of them have, oldest first. */
const inCommon = (some: ReadonlyArray<CoinReturns>): ReadonlyArray<Float64Array> => {
  const [first, ...others] = some
  const times = [...first?.returns.keys() ?? []].filter((time) => others.every(({ returns }) => returns.has(time)))
  return some.map(({ returns }) => Float64Array.from(times, (time) => returns.get(time)!))
}

const meanOffDiagonal = (matrix: ReadonlyArray<ReadonlyArray<number | null>>): number | null => {
  const pairs = matrix.flatMap((row, i) => row.slice(i + 1)).flatMap((value) => value ?? [])
  return pairs.length === 0 ? null : pairs.reduce((sum, value) => sum + value, 0) / pairs.length
}

export const handler = handlerOf(
  getCorrelation,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const oneByOne = makeOneByOne()
    const largestNow = Effect.gen(function*() {
      const coins = (yield* prices.coins).value.filter((one) => !one.isStablecoin && one.delistedAt === null)
      return coins.slice(0, largest).map(({ coin }) => coin)
    })
    return Effect.fnUntraced(function*({ coins: asked, days }) {
      const coins = asked ?? (yield* largestNow)
      const tf = days <= 30 ? "1h" as const : "1d" as const
      const wanted = (days * dayMs) / durationMs[tf]
      const read = yield* Effect.forEach(
        coins.includes("BTC") ? coins : [...coins, "BTC"],
        (coin) =>
          oneByOne(readClosedBars(prices, coin, tf, wanted + 1)).pipe(
            Effect.map((bars): CoinReturns => ({ coin, bars, returns: returnsByTime(bars) })),
            Effect.catchTag("NoData", () => Effect.succeed(coin)),
            // BTC is an implicit addition here. A market without BTC still has the other coins.
            Effect.catchTag(
              "UnknownSymbol",
              (error) => coins.includes(coin) ? Effect.fail(error) : Effect.succeed(coin)
            )
          ),
        { concurrency }
      )
      const there = read.filter((one) => typeof one !== "string")
      const end = Math.max(...there.map(({ bars }) => bars.end))
      const enough = there.filter(({ returns }) =>
        [...returns.keys()].filter((time) => time > end - days * dayMs).length >= leastShare * wanted
      )
      if (enough.length === 0) {
        const symbol = coins.join(", ")
        const reason = there.length === 0
          ? { key: "none_priced" } as const
          : { key: "none_recorded", params: { symbol } } as const
        return yield* new NoData({ subject: "correlations", reason })
      }
      const samples = inCommon(enough)
      const correlations = correlationMatrix(samples)
      const place = new Map(enough.map(({ coin }, i) => [coin, i]))
      const btc = samples[place.get("BTC") ?? -1]
      const between = (a: string, b: string): number | null => {
        const [i, j] = [place.get(a), place.get(b)]
        return i === undefined || j === undefined ? null : correlations[i]![j]!
      }
      const matrix = coins.map((a) => coins.map((b) => between(a, b)))
      const left = coins.filter((coin) => !place.has(coin))
      return {
        days,
        tf,
        coins,
        matrix,
        beta_to_btc: coins.map((coin) => {
          const own = samples[place.get(coin) ?? -1]
          return { coin, beta: own === undefined || btc === undefined ? null : beta(own, btc) }
        }),
        mean_correlation: meanOffDiagonal(matrix),
        n: samples[0]!.length,
        notes: [
          ...left.length > 0
            ? [`Less than two thirds of these days is recorded, so null: ${left.join(", ")}.`]
            : [],
          ...btc === undefined ? ["beta_to_btc is null: too little of BTC is recorded."] : []
        ],
        as_of: instant(Math.min(...enough.map(({ bars }) => bars.end))),
        source: sourceOf(...enough.map(({ bars }) => bars))
      }
    })
  })
)
