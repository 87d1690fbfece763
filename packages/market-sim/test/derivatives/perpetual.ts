import { assert, layer as withLayer } from "@effect/vitest"
import { CoinDerivatives, dayMs, hourMs, minuteMs, readValue } from "@tapeline/core"
import {
  compareCoins,
  getBasis,
  getDerivatives,
  getFundingComparison,
  getLiquidationMap,
  getLiquidations,
  getLiquidationsHistory,
  getPositioningHistory,
  screenCoins
} from "@tapeline/core/specifications"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, now } from "../support/markets.ts"
import { formatIso, lastHour, setTime, sumOf } from "./support.ts"

const computeMean = (values: ReadonlyArray<number>): number => sumOf(values, (value) => value) / values.length
const computeDeviation = (values: ReadonlyArray<number>): number =>
  Math.sqrt(sumOf(values, (value) => (value - computeMean(values)) ** 2) / (values.length - 1))

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("a perpetual of the simulated market", (it) => {
  it.effect("the funding z-score uses the previous 90 payments, and its percentile the previous 90 days", () =>
    Effect.gen(function*() {
      const derivatives = yield* CoinDerivatives
      // At the time of a settlement, the current funding rate is the rate of this settlement, not of the payment
      // before.
      for (const time of [now, lastHour - (lastHour % (8 * hourMs))]) {
        yield* setTime(time)
        for (const coin of ["BTC", "DOGE"]) {
          const result = yield* callTool(getDerivatives, { coin })
          const point = yield* readValue(derivatives.perpetual(coin))
          assert.strictEqual(result.as_of, formatIso(point.time))
          assert.closeTo(result.funding_rate_pct!, 100 * point.fundingRate!, 1e-9)
          assert.closeTo(
            result.funding_annualised_pct!,
            (result.funding_rate_pct! * 24 * 365) / result.funding_interval_hours!,
            1e-4
          )
          const prints = yield* readValue(
            derivatives.fundingPayments({ coin, from: point.time - 90 * dayMs, to: point.time })
          )
          const before = prints.map(({ fundingRate }) => fundingRate)
          const sample = before.slice(-90)
          assert.closeTo(result.funding_z!, (point.fundingRate! - computeMean(sample)) / computeDeviation(sample), 1e-5)
          assert.deepStrictEqual([result.funding_z_n, result.funding_percentile_n], [90, before.length])
          const lower = before.filter((rate) => rate < point.fundingRate!).length
          assert.closeTo(result.funding_percentile_90d!, (100 * lower) / before.length, 1e-3)
          assert.deepStrictEqual(result.notes, [])
        }
      }
    }))

  it.effect("every point of the history equals get_derivatives at its time, up to the last full hour", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      const { gaps, notes, points } = yield* callTool(getPositioningHistory, { coin: "ETH" })
      assert.deepStrictEqual([gaps, notes], [[], []])
      assert.deepStrictEqual(
        points.map(({ time }) => time),
        Array.from({ length: 24 }, (_, i) => new Date(lastHour - (23 - i) * hourMs).toISOString())
      )
      for (const { time, ...point } of [points.at(-1)!, points[0]!, points[11]!]) {
        const earlierResult = yield* callTool(getDerivatives, { coin: "ETH", at: time })
        assert.strictEqual(earlierResult.as_of, time)
        for (const [name, value] of Object.entries(point)) assert.deepInclude(earlierResult, { [name]: value })
      }
      const month = yield* callTool(getPositioningHistory, { coin: "ETH", hours: 720 })
      assert.lengthOf(month.points, 720)
      assert.deepStrictEqual(month.points.slice(-24), points)
      assert.isBelow(JSON.stringify(month).length, 256 * 1024)
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("open interest of the simulated market", (it) => {
  it.effect("open interest changes are computed in coins and in USD; screens and comparisons agree", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      const derivatives = yield* CoinDerivatives
      for (const coin of ["BTC", "SOL"]) {
        const result = yield* callTool(getDerivatives, { coin })
        const end = Date.parse(result.as_of)
        for (
          const [hours, coins, usd] of [
            [1, result.oi_change_1h_coin_pct, result.oi_change_1h_usd_pct],
            [24, result.oi_change_24h_coin_pct, result.oi_change_24h_usd_pct]
          ] as const
        ) {
          const from = end - hours * hourMs
          const { points: [earlierPoint] } = yield* readValue(
            derivatives.perpetualHistory({ coin, from, to: from + 1, stepMs: 5 * minuteMs })
          )
          assert.closeTo(coins!, 100 * (result.open_interest! / earlierPoint!.openInterest! - 1), 1e-4)
          assert.closeTo(usd!, 100 * (result.open_interest_usd! / earlierPoint!.openInterestUsd! - 1), 1e-4)
        }
        const flow = yield* readValue(
          derivatives.takerFlow({ coin, from: end - hourMs, to: end, stepMs: 5 * minuteMs })
        )
        const [buy, sell] = [sumOf(flow.points, ({ buyUsd }) => buyUsd), sumOf(flow.points, ({ sellUsd }) => sellUsd)]
        assert.closeTo(result.taker_buy_ratio!, buy / (buy + sell), 1e-6)
        assert.closeTo(
          result.taker_buy_ratio!,
          result.taker_buy_usd! / (result.taker_buy_usd! + result.taker_sell_usd!),
          1e-6
        )
        const { matches } = yield* callTool(screenCoins, {
          filters: [{ field: "funding_rate_pct", op: "gt", value: -1e9 }, {
            field: "oi_change_24h_coin_pct",
            op: "gt",
            value: -1e9
          }],
          top: 100
        })
        const { funding_rate_pct, oi_change_24h_coin_pct } = matches.find((one) => one.coin === coin)!
        assert.deepStrictEqual(
          [funding_rate_pct, oi_change_24h_coin_pct],
          [result.funding_rate_pct, result.oi_change_24h_coin_pct]
        )
        const { rows } = yield* callTool(compareCoins, { coins: [coin, "ETH"] })
        assert.strictEqual(rows[0]!.funding_rate_pct, result.funding_rate_pct)
      }
    }))

  it.effect("tools fail with no_data for a stablecoin and for a coin before its listing", () =>
    Effect.gen(function*() {
      const tools = [
        getDerivatives,
        getPositioningHistory,
        getLiquidations,
        getLiquidationsHistory,
        getLiquidationMap,
        getBasis,
        getFundingComparison
      ]
      yield* setTime(now)
      for (const tool of tools) {
        assert.strictEqual((yield* callExpectingFailure(tool, { coin: "USDT" })).code, "no_data", tool.name)
      }
      yield* setTime(Date.UTC(2001, 0, 1))
      for (const tool of tools) {
        assert.strictEqual((yield* callExpectingFailure(tool, { coin: "BTC" })).code, "no_data", tool.name)
      }
    }))
})
