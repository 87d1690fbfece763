import { assert, layer as withLayer } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  dayMs,
  hourMs,
  type Liquidation,
  type LiquidationTape,
  makeReading,
  readValue
} from "@tapeline/core"
import {
  getDerivatives,
  getLiquidationMap,
  getLiquidations,
  getLiquidationsHistory,
  getPositioningHistory,
  getPrice
} from "@tapeline/core/specifications"
import { callTool } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, now } from "../support/markets.ts"
import { formatIso, lastHour, setTime, sumOf } from "./support.ts"

/** A venue with so many liquidations in an hour that its list of liquidations is truncated. */
const layerBusyVenue = Layer.effect(
  CoinDerivatives,
  Effect.map(CoinDerivatives, (derivatives) =>
    CoinDerivatives.of({
      ...derivatives,
      liquidations: ({ from, limit = 1000, minSizeUsd = 0, to }) => {
        const all = Array.from({ length: 3000 }, (_, i): Liquidation => ({
          time: now - hourMs + 1000 * i,
          side: i % 3 === 0 ? "long" : "short",
          price: 100,
          sizeUsd: i === 0 ? 1_000_000 : 100 + ((i * 7919) % 20_000)
        })).filter(({ sizeUsd, time }) => time >= from && time < to && sizeUsd >= minSizeUsd)
        const usdOf = (side: string): number => sumOf(all, (one) => one.side === side ? one.sizeUsd : 0)
        const tape: LiquidationTape = {
          events: all.slice(-limit),
          longUsd: usdOf("long"),
          shortUsd: usdOf("short"),
          count: all.length,
          truncated: all.length > limit,
          steps: [],
          coverage: "whole",
          gaps: []
        }
        return Effect.succeed(makeReading(tape, "busy", to))
      }
    }))
).pipe(Layer.provide(layerCompleteMarket))

withLayer(layerEngineOver(Layer.merge(layerCompleteMarket, layerBusyVenue)), { timeout: 60_000 })(
  "liquidations of a busy venue",
  (it) => {
    it.effect("include the largest event even if the tape is truncated after it", () =>
      Effect.gen(function*() {
        yield* setTime(now)
        const { count, largest, listed } = yield* callTool(getLiquidations, { coin: "BTC" })
        assert.strictEqual(count, 3000)
        assert.isAbove(listed.count, 1000)
        assert.deepInclude(largest, { size_usd: 1_000_000, side: "long", time: formatIso(now - hourMs) })
      }))
  }
)

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("liquidations of the simulated market", (it) => {
  it.effect("the history's last hour equals get_liquidations for the same size, and its events add up", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      for (const coin of ["BTC", "DOGE"]) {
        const month = yield* callTool(getLiquidationsHistory, { coin, hours: 720, top: 1000 })
        assert.lengthOf(month.by_hour, 720)
        for (const side of ["long_usd", "short_usd", "count"] as const) {
          assert.closeTo(sumOf(month.by_hour, (hour) => hour[side]) / month.totals[side], 1, 1e-9)
        }
        const usd = (hour: typeof month.by_hour[number]): number => hour.long_usd + hour.short_usd
        const worst = month.by_hour.reduce((a, b) => usd(b) > usd(a) ? b : a)
        for (const end of [now, Date.parse(worst.time) + hourMs]) {
          const earlierQuery = { coin, at: formatIso(end) }
          const hour = yield* callTool(getLiquidations, earlierQuery)
          const history = yield* callTool(getLiquidationsHistory, { ...earlierQuery, hours: 3, top: 1000 })
          const { time, ...last } = history.by_hour.at(-1)!
          assert.deepStrictEqual([time, last], [hour.from, hour.listed])
          assert.isFalse(history.truncated)
          const events = history.events.filter((event) => event.time >= hour.from)
          assert.lengthOf(events, hour.listed.count)
          for (
            const [side, expectedUsd] of [["long", hour.listed.long_usd], ["short", hour.listed.short_usd]] as const
          ) {
            assert.closeTo(sumOf(events, (event) => event.side === side ? event.size_usd : 0), expectedUsd, 0.01)
          }
          assert.isTrue(history.events.every(({ size_usd }) => size_usd >= 10_000))
          assert.isTrue(hour.long_usd >= hour.listed.long_usd && hour.short_usd >= hour.listed.short_usd)
          assert.closeTo(hour.skew!, (hour.short_usd - hour.long_usd) / (hour.short_usd + hour.long_usd), 1e-6)
          if (events.length > 0) {
            assert.strictEqual(
              hour.largest!.size_usd,
              Math.max(...events.map((one) => one.size_usd))
            )
          }
        }
        const limitedTape = yield* callTool(getLiquidationsHistory, { coin, hours: 720, top: 5 })
        assert.deepStrictEqual([limitedTape.events.length, limitedTape.truncated], [5, true])
        assert.deepStrictEqual([limitedTape.totals, limitedTape.by_hour], [month.totals, month.by_hour])
        assert.deepStrictEqual(limitedTape.events, month.events.slice(-5))
      }
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("liquidations of large and small coins", (it) => {
  it.effect("smaller coins have liquidations of at least 10,000 USD, in proportion to open interest", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      const shareOf = Effect.fnUntraced(function*(coin: string) {
        const { totals } = yield* callTool(getLiquidationsHistory, { coin, hours: 720, top: 1 })
        const { open_interest_usd } = yield* callTool(getDerivatives, { coin })
        return { count: totals.count, share: (totals.long_usd + totals.short_usd) / open_interest_usd! }
      })
      // In the tested month, UNI has 147 liquidations. The 21 liquidations of LDO amount to 0.23 % of LDO's open
      // interest.
      for (const [coin, minSizeUsd] of [["ADA", 400], ["UNI", 120], ["LDO", 15]] as const) {
        const { count, share } = yield* shareOf(coin)
        assert.isAbove(count, minSizeUsd, coin)
        // Most of a month's liquidations occur on a few volatile days.
        assert.isTrue(share > 0.002 && share < 1, `${coin} ${share}`)
      }
    }))

  it.effect("skew is positive if a rise liquidated shorts, and negative if a fall liquidated longs", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      const { by_hour } = yield* callTool(getLiquidationsHistory, { coin: "BTC", hours: 720 })
      const skew = (hour: typeof by_hour[number]): number => hour.short_usd - hour.long_usd
      const prices = yield* CoinPrices
      const largestHour = by_hour.reduce((a, b) => skew(b) > skew(a) ? b : a)
      const fall = by_hour.reduce((a, b) => skew(b) < skew(a) ? b : a)
      for (const [hour, sign] of [[largestHour, 1], [fall, -1]] as const) {
        const end = Date.parse(hour.time) + hourMs
        const liquidations = yield* callTool(getLiquidations, { coin: "BTC", at: formatIso(end) })
        assert.isAbove(sign * liquidations.skew!, 0.5)
      }
      // A price move may reverse within its hour, so the test compares 40 hours and not a single hour.
      const largest = by_hour.toSorted((a, b) => Math.abs(skew(b)) - Math.abs(skew(a))).slice(0, 40)
      let agreeingHours = 0
      for (const hour of largest) {
        const start = Date.parse(hour.time)
        const before = yield* readValue(prices.priceAt({ coin: "BTC", time: start }))
        const after = yield* readValue(prices.priceAt({ coin: "BTC", time: start + hourMs }))
        if (skew(hour) * (after.price - before.price) > 0) agreeingHours++
      }
      assert.isAtLeast(agreeingHours, 28)
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })(
  "the liquidation map of the simulated market",
  (it) => {
    it.effect("the map follows from positioning and candles by its documented model", () =>
      Effect.gen(function*() {
        for (
          const [coin, time] of [["BTC", now], ["ADA", now], ["SOL", now - 13 * dayMs], ["PEPE", lastHour]] as const
        ) {
          yield* setTime(time)
          const end = Math.floor(time / hourMs) * hourMs
          const map = yield* callTool(getLiquidationMap, { coin })
          const { points } = yield* callTool(getPositioningHistory, { coin, hours: 169 })
          const candles = yield* readValue(
            (yield* CoinPrices).candleRange({ coin, timeframe: "1h", from: end - 168 * hourMs, to: time + 1 })
          )
          assert.strictEqual(map.price, (yield* callTool(getPrice, { coin })).price)
          const standing = points.slice(1).flatMap((point, i) => {
            const opened = point.open_interest! - points[i]!.open_interest!
            if (opened <= 0) return []
            const { quoteVolume, volume } = candles[i]!
            const entry = quoteVolume / volume
            const later = candles.slice(i + 1)
            return map.weights.flatMap(({ leverage, weight }) => {
              // At the liquidation price, margin minus loss equals the maintenance margin, which is a fraction of the
              // position's value.
              const long = (entry * (1 - 1 / leverage)) / (1 - 0.005)
              const short = (entry * (1 + 1 / leverage)) / (1 + 0.005)
              const coins = opened * weight
              return [
                ...map.price > long && later.every(({ low }) => low > long)
                  ? [{ side: "long", leverage, price: long, coins }]
                  : [],
                ...map.price < short && later.every(({ high }) => high < short)
                  ? [{ side: "short", leverage, price: short, coins }]
                  : []
              ]
            })
          })
          assert.isAbove(standing.length, 50)
          assert.strictEqual(sumOf(map.weights, ({ weight }) => weight), 1)
          const usd = (some: typeof standing): number => sumOf(some, ({ coins, price }) => coins * price)
          for (const { above, below, within_pct } of map.cumulative_usd) {
            const near = standing.filter(({ price }) => Math.abs(price / map.price - 1) <= within_pct / 100)
            assert.closeTo(above, usd(near.filter(({ side }) => side === "short")), 1 + 1e-6 * above)
            assert.closeTo(below, usd(near.filter(({ side }) => side === "long")), 1 + 1e-6 * below)
          }
          const openInterest = points.at(-1)!.open_interest!
          assert.closeTo(map.oi_coverage_pct!, (50 * sumOf(standing, ({ coins }) => coins)) / openInterest, 1e-3)
          assert.strictEqual(map.open_interest_usd, points.at(-1)!.open_interest_usd)
          for (const { est_usd, leverage, price, side } of map.levels) {
            const levels = standing.filter((one) =>
              one.side === side && one.leverage === leverage && Math.abs(one.price - price) < map.price * 0.005
            )
            assert.isTrue(levels.length > 0 && est_usd <= usd(levels) + 1)
            assert.isTrue(side === "long" ? price < map.price : price > map.price)
          }
          if (map.level_count <= map.levels.length) {
            assert.closeTo(sumOf(map.levels, ({ est_usd }) => est_usd) / usd(standing), 1, 1e-6)
          }
          assert.isBelow(map.nearest_below!.price, map.price)
          assert.isAbove(map.nearest_above!.price, map.price)
          assert.strictEqual(map.modelled, true)
        }
      }))
  }
)
