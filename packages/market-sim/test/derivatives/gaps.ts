import { assert, layer as withLayer } from "@effect/vitest"
import { hourMs, minuteMs } from "@tapeline/core"
import {
  getBasis,
  getDerivatives,
  getFundingComparison,
  getLiquidationMap,
  getLiquidations,
  getLiquidationsHistory,
  getPositioningHistory
} from "@tapeline/core/specifications"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { layerEngineOver } from "../support/engine.ts"
import { delistedAt, layerGappyMarket, now, outage } from "../support/markets.ts"
import { formatIso, setTime } from "./support.ts"

withLayer(layerEngineOver(layerGappyMarket), { timeout: 60_000 })("perpetuals of a market with outages", (it) => {
  it.effect("outages are reported as gaps, and hours that they touch have no taker ratio", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      const result = yield* callTool(getPositioningHistory, { coin: "BTC", hours: 48 })
      assert.isTrue(result.gaps.some(({ from, to }) => Date.parse(from) <= outage.from && outage.to <= Date.parse(to)))
      assert.isTrue(result.notes.some((note) => /^Only \d+ of the last 48 full hours/u.test(note)))
      const times = result.points.map(({ time }) => Date.parse(time))
      assert.isTrue(times.every((time) => time < outage.from || time >= outage.to))
      const after = result.points.find(({ time }) => Date.parse(time) === outage.to)!
      assert.isNull(after.taker_buy_ratio)
      // The taker ratio of an hour is null even if a gap overlaps only a part of the hour.
      for (const { taker_buy_ratio, time } of result.points) {
        const end = Date.parse(time)
        const isAffected = result.gaps.some(({ from, to }) => Date.parse(from) < end && Date.parse(to) > end - hourMs)
        assert.strictEqual(taker_buy_ratio === null, isAffected, time)
      }
      assert.isTrue(result.notes.some((note) => note.startsWith("Null in hours") && note.includes("taker_buy_ratio")))
      const earlierResult = yield* callTool(getDerivatives, { coin: "BTC", at: after.time })
      assert.deepStrictEqual([earlierResult.taker_buy_ratio, earlierResult.oi_change_1h_coin_pct], [null, null])
      assert.isTrue(earlierResult.notes.some((note) => note.includes("oi_change_1h_coin_pct")))
      assert.isTrue(earlierResult.notes.some((note) => note.startsWith("The taker fields are null")))
      const old = yield* callTool(getDerivatives, { coin: "BTC", at: formatIso(outage.to - hourMs) })
      assert.isTrue(old.notes.some((note) => note.startsWith("The latest record of the perpetual is from")))
      assert.isBelow(Date.parse(old.as_of), outage.from)
    }))

  it.effect("sums that include an outage are lower bounds; an interval within an outage fails with no_data", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      const liquidations = yield* callTool(getLiquidations, {
        coin: "BTC",
        at: formatIso(outage.to + 30 * minuteMs)
      })
      assert.isTrue(liquidations.notes.some((note) => note.includes("not recorded (gaps)")))
      assert.isTrue(liquidations.notes.some((note) => note.startsWith("The venue reports only some")))
      assert.deepStrictEqual([liquidations.coverage, liquidations.gaps.length], ["sampled", 1])
      const within = { coin: "BTC", at: formatIso(outage.to - 30 * minuteMs) }
      assert.strictEqual((yield* callExpectingFailure(getLiquidations, within)).code, "no_data")
      assert.strictEqual((yield* callExpectingFailure(getLiquidationsHistory, { ...within, hours: 2 })).code, "no_data")
      const day = yield* callTool(getLiquidationsHistory, { coin: "BTC", hours: 48 })
      const hoursInOutage = day.by_hour.filter(({ time }) =>
        Date.parse(time) >= outage.from && Date.parse(time) + hourMs <= outage.to
      )
      assert.deepStrictEqual(hoursInOutage, [])
      assert.isTrue(day.notes.some((note) => note.startsWith(`${48 - day.by_hour.length} hours without any record`)))
      const map = yield* callTool(getLiquidationMap, { coin: "BTC" })
      assert.isBelow(map.known_hours, 168)
      assert.isTrue(map.notes.some((note) => note.startsWith(`${168 - map.known_hours} of 168 hours are unknown`)))
    }))
})

withLayer(layerEngineOver(layerGappyMarket), { timeout: 60_000 })("unusual perpetuals", (it) => {
  it.effect("funding uses the coin's own interval, and an open interest that is not recorded is null", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      for (const [coin, hours] of [["SOL", 4], ["DOGE", 1]] as const) {
        const result = yield* callTool(getDerivatives, { coin })
        assert.strictEqual(result.funding_interval_hours, hours)
        assert.closeTo(result.funding_annualised_pct!, ((result.funding_rate_pct! * 24) / hours) * 365, 1e-4)
        assert.strictEqual(result.funding_z_n, 90)
        assert.isTrue(Math.abs(result.funding_z!) < 20)
      }
      const derivativesWithoutOi = yield* callTool(getDerivatives, { coin: "XRP" })
      assert.deepInclude(derivativesWithoutOi, {
        open_interest: null,
        oi_change_24h_coin_pct: null,
        long_short_ratio: null
      })
      assert.isTrue(
        derivativesWithoutOi.notes.some((note) => note.startsWith("Null because it was not recorded: open_interest, "))
      )
      assert.strictEqual((yield* callExpectingFailure(getLiquidationMap, { coin: "XRP" })).code, "no_data")
      const compared = yield* callTool(getFundingComparison, { coin: "XRP" })
      assert.isNull(compared.weighted_annualised_pct)
      assert.isTrue(compared.notes.some((note) => note.startsWith("weighted_annualised_pct is null")))
      // One venue pays funding continuously, so it has no next payment time.
      assert.strictEqual(compared.venues.filter(({ next_time }) => next_time === null).length, 1)
    }))

  it.effect("a delisted coin has no current data, and keeps its past data", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      for (const tool of [getDerivatives, getLiquidations, getLiquidationMap, getBasis, getFundingComparison]) {
        assert.strictEqual((yield* callExpectingFailure(tool, { coin: "LTC" })).code, "no_data", tool.name)
      }
      const earlierQuery = { coin: "LTC", at: formatIso(delistedAt - 2 * hourMs) }
      assert.isNotNull((yield* callTool(getDerivatives, earlierQuery)).funding_rate_pct)
      assert.isAbove((yield* callTool(getLiquidationMap, earlierQuery)).levels.length, 10)
    }))
})
