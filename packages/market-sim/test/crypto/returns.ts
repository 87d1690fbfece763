import { assert, layer as withLayer } from "@effect/vitest"
import { CoinPrices, dayMs, readRealised30d } from "@tapeline/core"
import {
  compareCoins,
  getCorrelation,
  getIvMetrics,
  getPriceHistory,
  getProbability,
  getSeasonality,
  getVolatility
} from "@tapeline/core/specifications"
import { studentTwoSided } from "@tapeline/quant/probability"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { delistedAt, layerCompleteMarket, layerGappyMarket, now } from "../support/markets.ts"

const readClosedCandles = (coin: string, tf: "1h" | "1d", bars: number) =>
  Effect.map(
    callTool(getPriceHistory, { coin, tf, bars: bars + 1 }),
    ({ candles }) => candles.filter(({ closed }) => closed === undefined).slice(-bars)
  )

const computeDeviation = (x: ReadonlyArray<number>): number => {
  const mean = x.reduce((sum, one) => sum + one, 0) / x.length
  return Math.sqrt(x.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (x.length - 1))
}

const computeLogReturns = (closes: ReadonlyArray<number>): ReadonlyArray<number> =>
  closes.slice(1).map((close, i) => Math.log(close / closes[i]!))

/** Returns the smallest pivot of a Cholesky decomposition, which is above 0 for a positive definite matrix. */
const computeMinPivot = (matrix: ReadonlyArray<ReadonlyArray<number>>): number => {
  const rows = matrix.map((row) => [...row])
  let leastDistance = Infinity
  for (const [i, pivotRow] of rows.entries()) {
    const pivot = pivotRow[i]!
    leastDistance = Math.min(leastDistance, pivot)
    for (const row of rows.slice(i + 1)) {
      const factor = row[i]! / pivot
      for (let j = i; j < row.length; j++) row[j] = row[j]! - factor * pivotRow[j]!
    }
  }
  return leastDistance
}

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("volatility over the simulated market", (it) => {
  it.effect("volatilities follow from the candles, and realised_30d_pct is the same in every tool", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const result = yield* callTool(getVolatility, { coin: "ETH" })
      for (
        const [i, [window, tf, n, perYear]] of ([["7d", "1h", 168, 8760], ["30d", "1h", 720, 8760], [
          "90d",
          "1d",
          90,
          365
        ]] as const).entries()
      ) {
        const candles = yield* readClosedCandles("ETH", tf, n + 1)
        const rowsOfInterval = candles.slice(1)
        const annual = (variance: number): number => 100 * Math.sqrt(variance * perYear)
        const mean = (getValue: (row: typeof rowsOfInterval[number]) => number): number =>
          rowsOfInterval.reduce((sum, row) => sum + getValue(row), 0) / rowsOfInterval.length
        const returns = computeLogReturns(candles.map(({ close }) => close))
        const near = (actual: typeof result.ewma[number] | undefined, pct: number) => {
          assert.deepInclude(actual, { window, tf, n })
          assert.closeTo(actual!.annualised_pct!, pct, 2e-4)
        }
        near(result.close_to_close[i], annual(computeDeviation(returns) ** 2))
        near(result.parkinson[i], annual(mean(({ high, low }) => Math.log(high / low) ** 2) / (4 * Math.LN2)))
        near(
          result.garman_klass[i],
          annual(
            mean(({ close, high, low, open }) =>
              0.5 * Math.log(high / low) ** 2 - (2 * Math.LN2 - 1) * Math.log(close / open) ** 2
            )
          )
        )
        const gaps = rowsOfInterval.map(({ open }, k) => Math.log(open / candles[k]!.close))
        const bodies = rowsOfInterval.map(({ close, open }) => Math.log(close / open))
        const k = 0.34 / (1.34 + (n + 1) / (n - 1))
        const rs = mean(({ close, high, low, open }) =>
          Math.log(high / close) * Math.log(high / open) + Math.log(low / close) * Math.log(low / open)
        )
        near(
          result.yang_zhang[i],
          annual(computeDeviation(gaps) ** 2 + k * computeDeviation(bodies) ** 2 + (1 - k) * rs)
        )
        // The last seventh of the returns has half of the total weight.
        const weights = returns.map((_, age) => 2 ** (-7 * (returns.length - 1 - age) / n))
        const ewma = returns.slice(1).reduce(
          (v, r) => 2 ** (-7 / n) * v + (1 - 2 ** (-7 / n)) * r * r,
          returns[0]! ** 2
        )
        assert.closeTo(weights[Math.round(n * 6 / 7) - 1]!, 0.5, 0.03)
        near(result.ewma[i], annual(ewma))
        assert.strictEqual(result.cone[i]!.current, result.close_to_close[i]!.annualised_pct)
        const { max, median, min, p25, p75 } = result.cone[i]!
        assert.isTrue(min! <= p25! && p25! <= median! && median! <= p75! && p75! <= max!)
        assert.isTrue(min! <= result.cone[i]!.current! && result.cone[i]!.current! <= max!)
        assert.strictEqual(result.cone[i]!.n, 365 + 1 - [7, 30, 90][i]!)
      }
      const month = result.close_to_close[1]!.annualised_pct!
      assert.strictEqual(result.realised_30d_pct, month)
      assert.strictEqual(result.realised_30d_percentile, result.cone[1]!.percentile)
      assert.closeTo((yield* readRealised30d(yield* CoinPrices, "ETH")).value.pct!, month, 1e-4)
      const { rows } = yield* callTool(compareCoins, { coins: ["ETH", "BTC"] })
      assert.strictEqual(rows[0]!.realised_30d_pct, month)
      const metrics = yield* callTool(getIvMetrics, { coin: "ETH" })
      assert.strictEqual(metrics.realised_30d_pct, month)
      const { sigma_annualised_pct } = yield* callTool(getProbability, { coin: "ETH", horizon_min: 1440 })
      assert.strictEqual(sigma_annualised_pct, month)
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("the cone of the simulated market", (it) => {
  it.effect("the 30-day volatility has its percentile among the daily values of the past year", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { cone, realised_30d_pct, realised_30d_percentile } = yield* callTool(getVolatility, {
        coin: "ETH"
      })
      const { max, min, n } = cone[1]!
      for (const days of [25, 10, 1]) {
        const at = new Date(now - days * dayMs).toISOString()
        const pastVolatilityPct = (yield* callTool(getVolatility, { coin: "ETH", at })).realised_30d_pct!
        assert.isTrue(min! <= pastVolatilityPct && pastVolatilityPct <= max!)
      }
      const below = realised_30d_percentile! * n / 100
      assert.closeTo(below, Math.round(below), 1e-3)
      assert.strictEqual(below < 0.5, realised_30d_pct === min)
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("correlations over the simulated market", (it) => {
  it.effect("are symmetric and positive semidefinite, and follow from the returns", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const result = yield* callTool(getCorrelation, {})
      assert.strictEqual(result.coins.length, 10)
      assert.strictEqual(result.coins[0], "BTC")
      assert.isFalse(result.coins.some((coin) => ["USDT", "USDC"].includes(coin)))
      assert.deepInclude(result, { tf: "1h", n: 720, notes: [] })
      const matrix = result.matrix.map((row) => row.map((one) => one!))
      for (const [i, row] of matrix.entries()) {
        assert.strictEqual(row[i], 1)
        for (const [j, value] of row.entries()) {
          assert.strictEqual(value, matrix[j]![i])
          assert.isTrue(Math.abs(value) <= 1)
        }
      }
      // The matrix is rounded to six decimals, so the diagonal gets a small margin.
      assert.isAbove(computeMinPivot(matrix.map((row, i) => row.map((one, j) => i === j ? one + 1e-5 : one))), 0)
      const off = matrix.flatMap((row, i) => row.filter((_, j) => j !== i))
      assert.closeTo(result.mean_correlation!, off.reduce((sum, one) => sum + one, 0) / off.length, 1e-5)
      const daily = yield* callTool(getCorrelation, { coins: ["eth", "SOL"], days: 90 })
      assert.deepInclude(daily, { tf: "1d", n: 90, coins: ["ETH", "SOL"] })
      const [eth, sol, btc] = [
        computeLogReturns((yield* readClosedCandles("ETH", "1d", 91)).map(({ close }) => close)),
        computeLogReturns((yield* readClosedCandles("SOL", "1d", 91)).map(({ close }) => close)),
        computeLogReturns((yield* readClosedCandles("BTC", "1d", 91)).map(({ close }) => close))
      ]
      const covariance = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): number => {
        const [mx, my] = [x, y].map((one) => one.reduce((sum, r) => sum + r, 0) / one.length)
        return x.reduce((sum, r, i) => sum + (r - mx!) * (y[i]! - my!), 0) / (x.length - 1)
      }
      assert.closeTo(daily.matrix[0]![1]!, covariance(eth, sol) / computeDeviation(eth) / computeDeviation(sol), 1e-6)
      assert.closeTo(daily.beta_to_btc[1]!.beta!, covariance(sol, btc) / computeDeviation(btc) ** 2, 1e-5)
      for (const coins of [["BTC"], ["BTC", "btc"], Array.from({ length: 21 }, (_, i) => `C${i}`)]) {
        const argumentError = yield* Effect.flip(callExpectingFailure(getCorrelation, { coins }))
        assert.strictEqual(argumentError._tag, "InvalidArguments")
      }
      assert.strictEqual(
        (yield* callExpectingFailure(getCorrelation, { coins: ["BTC", "NOSUCH"] })).code,
        "unknown_symbol"
      )
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("seasonality over the simulated market", (it) => {
  it.effect("hour and weekday buckets have t statistics, with p-values adjusted for 31 tests", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { by_hour, by_weekday, significant } = yield* callTool(getSeasonality, { coin: "BTC", days: 30 })
      const [hours, days] = [yield* readClosedCandles("BTC", "1h", 721), yield* readClosedCandles("BTC", "1d", 31)]
      const p: Array<number> = []
      const check = (row: typeof by_hour[number] | typeof by_weekday[number], returns: ReadonlyArray<number>) => {
        assert.strictEqual(row.n, returns.length)
        const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length
        assert.closeTo(row.mean_return_pct!, mean, 1e-6)
        assert.closeTo(row.up_pct!, 100 * returns.filter((one) => one > 0).length / returns.length, 1e-4)
        const t = mean / (computeDeviation(returns) / Math.sqrt(returns.length))
        assert.closeTo(row.t_stat!, t, 1e-5)
        p.push(studentTwoSided(t, returns.length - 1))
      }
      const moves = (rows: typeof hours, isIncluded: (time: Date) => boolean): ReadonlyArray<number> =>
        rows.slice(1).flatMap(({ close, time }, i) =>
          isIncluded(new Date(time)) ? [100 * (close / rows[i]!.close - 1)] : []
        )
      for (const row of by_hour) check(row, moves(hours, (time) => time.getUTCHours() === row.bucket))
      const names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
      for (const row of by_weekday) check(row, moves(days, (time) => names[time.getUTCDay()] === row.bucket))
      assert.strictEqual(p.length, 31)
      // The adjusted p-value is the smallest `m p / rank` over all p-values that are not smaller than the row's own
      // p-value.
      for (const [i, row] of [...by_hour, ...by_weekday].entries()) {
        const adjusted = Math.min(
          1,
          ...p.filter((one) => one >= p[i]!).map((one) => 31 * one / p.filter((other) => other <= one).length)
        )
        assert.closeTo(row.p_adjusted!, adjusted, 1e-5)
      }
      assert.strictEqual(significant, [...by_hour, ...by_weekday].filter((row) => row.p_adjusted! < 0.05).length)
    }))
})

withLayer(layerEngineOver(layerGappyMarket), { timeout: 60_000 })(
  "returns over a market with missing candles and a delisted coin",
  (it) => {
    it.effect("omits missing candles; a delisted coin has past volatility and null correlations", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const gappyVolatility = yield* callTool(getVolatility, { coin: "ETH" })
        assert.isBelow(gappyVolatility.close_to_close[0]!.n, 168)
        assert.isNotNull(gappyVolatility.close_to_close[0]!.annualised_pct)
        const month = gappyVolatility.realised_30d_pct!
        assert.strictEqual(
          (yield* callTool(compareCoins, { coins: ["ETH", "BTC"] })).rows[0]!.realised_30d_pct,
          month
        )
        assert.closeTo(gappyVolatility.cone[1]!.current!, month, 1e-4)
        const delistedVolatility = yield* callTool(getVolatility, { coin: "LTC" })
        assert.strictEqual(delistedVolatility.as_of, new Date(delistedAt).toISOString())
        assert.isTrue(delistedVolatility.notes[0]!.startsWith("LTC stopped trading"))
        const result = yield* callTool(getCorrelation, { coins: ["BTC", "ETH", "LTC"], days: 7 })
        assert.deepStrictEqual(result.matrix[2], [null, null, null])
        assert.isNotNull(result.matrix[0]![1])
        assert.isBelow(result.n, 168)
        assert.isTrue(result.notes.some((note) => note.includes("LTC")))
        const { by_hour } = yield* callTool(getSeasonality, { coin: "BTC", days: 60 })
        assert.isBelow(by_hour.reduce((sum, { n }) => sum + n, 0), 60 * 24 - 20)
      }))
  }
)
