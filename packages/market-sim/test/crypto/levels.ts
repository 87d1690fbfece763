import { assert, layer as withLayer } from "@effect/vitest"
import { CoinPrices, dayMs, hourMs, makeReading, minuteMs, OrderBooks, readValue } from "@tapeline/core"
import {
  getIndicators,
  getLevels,
  getOrderbook,
  getPriceHistory,
  getVolumeProfile,
  getVwap
} from "@tapeline/core/specifications"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, layerGappyMarket, now } from "../support/markets.ts"

const setTime = (time: number) => TestClock.setTime(time)
const readHistory = (tf: "5m" | "15m" | "1h" | "4h" | "1d", bars: number, coin = "BTC") =>
  Effect.map(callTool(getPriceHistory, { coin, tf, bars }), ({ candles }) => candles)

type CandleRow = Effect.Success<ReturnType<typeof readHistory>>[number]

/** Returns the candles whose value is strictly above (or below) the values of the five candles on each side. */
const findSwings = (candles: ReadonlyArray<CandleRow>, getValue: (row: CandleRow) => number) =>
  candles.filter((row, i) =>
    i >= 5 && i < candles.length - 5 &&
    candles.slice(i - 5, i + 6).every((other) => other === row || getValue(other) < getValue(row))
  )

const layerWithBook = (
  bids: ReadonlyArray<readonly [number, number]>,
  asks: ReadonlyArray<readonly [number, number]>
) => {
  const side = (levels: ReadonlyArray<readonly [number, number]>) => levels.map(([price, size]) => ({ price, size }))
  const book = { time: now, bids: side(bids), asks: side(asks) }
  const books = Layer.succeed(OrderBooks, { orderBook: () => Effect.succeed(makeReading(book, "made", now)) })
  return Effect.provide(Layer.fresh(layerEngineOver(Layer.merge(layerCompleteMarket, books))))
}

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("levels over the simulated market", (it) => {
  it.effect("a level is a traded price that merges swings within half an ATR", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      for (const [coin, tf] of [["BTC", "4h"], ["DOGE", "1h"], ["ETH", "15m"], ["SOL", "1d"]] as const) {
        const result = yield* callTool(getLevels, { coin, tf })
        const candles = (yield* readHistory(tf, 301, coin)).slice(0, -1)
        assert.strictEqual(result.n, candles.length)
        assert.strictEqual(result.close, candles.at(-1)!.close)
        assert.strictEqual(result.as_of, (yield* callTool(getIndicators, { coin, tf })).as_of)
        assert.closeTo(result.atr! / (yield* callTool(getIndicators, { coin, tf })).atr!, 1, 1e-6)
        const highs = findSwings(candles, ({ high }) => high)
        const lows = findSwings(candles, ({ low }) => -low)
        const swings = [...highs.map(({ high }) => high), ...lows.map(({ low }) => low)]
        const levels = [...result.supports, ...result.resistances]
        assert.isAbove(levels.length, 2)
        for (const { distance_pct, price, strength, touches } of levels) {
          assert.isTrue(candles.some(({ high, low }) => low <= price && price <= high), `${coin} ${price}`)
          assert.isTrue(swings.some((swing) => Math.abs(swing - price) <= result.atr! * 0.5 * touches))
          if (touches === 1) assert.isTrue(swings.some((swing) => Math.abs(swing / price - 1) < 1e-7))
          assert.closeTo(distance_pct, 100 * (price / result.close - 1), 1e-3)
          assert.isTrue(strength > 0 && strength <= 100)
        }
        const levelPrices = levels.map(({ price }) => price).sort((a, b) => a - b)
        for (const [i, price] of levelPrices.slice(1).entries()) assert.isAbove(price - levelPrices[i]!, 0)
        assert.isTrue(result.supports.every(({ distance_pct }) => distance_pct <= 0))
        assert.isTrue(result.resistances.every(({ distance_pct }) => distance_pct > 0))
        assert.deepStrictEqual(result.swing_high, { time: highs.at(-1)!.time, price: highs.at(-1)!.high })
        assert.deepStrictEqual(result.swing_low, { time: lows.at(-1)!.time, price: lows.at(-1)!.low })
        const { direction, from, retracements, to } = result.fibonacci!
        assert.strictEqual(direction, to.price > from.price ? "up" : "down")
        assert.isBelow(Date.parse(from.time), Date.parse(to.time))
        const last = highs.at(-1)!.time > lows.at(-1)!.time ? highs : lows
        assert.isAtMost(Date.parse(to.time), Date.parse(last.at(-1)!.time))
        for (const { price, ratio } of retracements) {
          assert.closeTo(price / (to.price + ratio * (from.price - to.price)), 1, 1e-7)
        }
      }
    }))

  it.effect("pivots come from the previous day, or from the previous week on the 1d timeframe", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      const days = yield* readHistory("1d", 15)
      const midnight = Math.floor(now / dayMs) * dayMs
      for (
        const [tf, from, to] of [
          ["1h", midnight - dayMs, midnight],
          ["1d", Date.UTC(2026, 10, 9), Date.UTC(2026, 10, 16)]
        ] as const
      ) {
        const { pivots } = yield* callTool(getLevels, { coin: "BTC", tf })
        const period = days.filter(({ time }) => Date.parse(time) >= from && Date.parse(time) < to)
        const high = Math.max(...period.map((row) => row.high))
        const low = Math.min(...period.map((row) => row.low))
        const pivot = (high + low + period.at(-1)!.close) / 3
        assert.strictEqual(Date.parse(pivots!.from), from)
        assert.strictEqual(Date.parse(pivots!.to), to)
        assert.closeTo(pivots!.pivot / pivot, 1, 1e-7)
        assert.closeTo(pivots!.r1 / (2 * pivot - low), 1, 1e-7)
        assert.closeTo(pivots!.s3 / (low - 2 * (high - pivot)), 1, 1e-7)
      }
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("VWAP and volume profile", (it) => {
  it.effect("the VWAP and its bands follow from the candles since the anchor", () =>
    Effect.gen(function*() {
      for (const time of [now, Math.floor(now / dayMs) * dayMs + 30_000]) {
        yield* setTime(time)
        for (const anchor of ["day", "week", "month"] as const) {
          const result = yield* callTool(getVwap, { coin: "ETH", anchor })
          const since = (yield* readHistory(result.tf, 1000, "ETH")).filter((row) => row.time >= result.anchored_at)
          assert.strictEqual(result.n, since.length)
          const volume = since.reduce((sum, row) => sum + row.volume, 0)
          const typical = (row: CandleRow): number => (row.high + row.low + row.close) / 3
          const vwap = since.reduce((sum, row) => sum + typical(row) * row.volume, 0) / volume
          const spread = since.reduce((sum, row) => sum + row.volume * (typical(row) - vwap) ** 2, 0) / volume
          assert.closeTo(result.vwap / vwap, 1, 1e-7)
          assert.closeTo(result.sd, Math.sqrt(spread), vwap * 1e-7)
          assert.closeTo(result.volume / volume, 1, 1e-9)
          assert.strictEqual(result.price, since.at(-1)!.close)
          assert.closeTo(result.distance_pct, 100 * (result.price / result.vwap - 1), 1e-4)
          for (const { lower, sd, upper } of result.bands) {
            assert.closeTo(upper - result.vwap, sd * result.sd, vwap * 1e-10)
            assert.closeTo(result.vwap - lower, sd * result.sd, vwap * 1e-10)
          }
          assert.strictEqual(new Date(result.anchored_at).getTime() % dayMs, 0)
        }
      }
      yield* setTime(now)
      const anchored = yield* Effect.forEach(["day", "week", "month"] as const, (anchor) =>
        Effect.map(callTool(getVwap, { coin: "BTC", anchor }), ({ anchored_at }) => anchored_at.slice(0, 10)))
      assert.deepStrictEqual(anchored, ["2026-11-20", "2026-11-16", "2026-11-01"])
    }))

  it.effect("bins add up to the candles' volume, and the point of control lies in the value area", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      for (const hours of [1, 24, 100, 720]) {
        const result = yield* callTool(getVolumeProfile, { coin: "SOL", hours })
        const candles = (yield* readHistory(result.tf, 1000, "SOL")).filter((row) => row.time >= result.from)
        assert.strictEqual(result.n, candles.length)
        assert.isTrue(Math.abs(now - Date.parse(result.from) - hours * hourMs) <= hourMs)
        const volume = candles.reduce((sum, row) => sum + row.volume, 0)
        const bins = result.bins.reduce((sum, bin) => sum + bin.volume, 0)
        assert.closeTo(result.volume / volume, 1, 1e-9)
        assert.closeTo(bins / result.volume, 1, 1e-9)
        const { high, low, volume_pct } = result.value_area!
        assert.isTrue(low <= result.poc! && result.poc! <= high)
        assert.isAtLeast(volume_pct, 70)
        const binsInArea = result.bins.filter((bin) => bin.low >= low && bin.high <= high)
        assert.closeTo(volume_pct, 100 * binsInArea.reduce((sum, bin) => sum + bin.volume, 0) / bins, 1e-3)
        const largestBin = result.bins.reduce((a, b) => b.volume > a.volume ? b : a)
        assert.closeTo(result.poc! / ((largestBin.low + largestBin.high) / 2), 1, 1e-7)
        assert.closeTo(result.bins[0]!.low / Math.min(...candles.map((row) => row.low)), 1, 1e-7)
        assert.closeTo(result.bins.at(-1)!.high / Math.max(...candles.map((row) => row.high)), 1, 1e-7)
      }
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("the order book of the simulated market", (it) => {
  it.effect("depth, imbalance and slippage follow from the levels of the book", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      const sizes = [5_000, 250_000, 40_000_000_000]
      const result = yield* callTool(getOrderbook, { coin: "BTC", sizes_usd: sizes })
      const { asks, bids } = yield* readValue((yield* OrderBooks).orderBook("BTC"))
      const mid = (asks[0]!.price + bids[0]!.price) / 2
      assert.closeTo(result.mid! / mid, 1, 1e-7)
      assert.closeTo(result.spread_bps!, (10_000 * (asks[0]!.price - bids[0]!.price)) / mid, 1e-3)
      for (const { ask_usd, bid_usd, within_pct } of result.depth) {
        const usd = (side: typeof asks) =>
          side.filter(({ price }) => Math.abs(price - mid) <= (mid * within_pct) / 100 * (1 + 1e-12))
            .reduce((sum, { price, size }) => sum + price * size, 0)
        assert.closeTo(bid_usd!, usd(bids), 0.006)
        assert.closeTo(ask_usd!, usd(asks), 0.006)
      }
      assert.strictEqual(result.depth.at(-1)!.bid_usd, result.bid_depth_usd)
      const [bid, ask] = [result.bid_depth_usd!, result.ask_depth_usd!]
      assert.closeTo(result.imbalance_pct!, 100 * (bid - ask) / (bid + ask), 1e-3)
      // A small order uses up only a part of the last level that it reaches.
      for (const { buy_bps, sell_bps, size_usd } of result.slippage.slice(0, 2)) {
        for (const [side, bps, sign] of [[asks, buy_bps, 1], [bids, sell_bps, -1]] as const) {
          let [usd, coins] = [0, 0]
          for (const { price, size } of side) {
            const some = Math.min(size, (size_usd - usd) / price)
            usd += some * price
            coins += some
          }
          assert.closeTo(bps!, sign * 10_000 * (usd / coins / mid - 1), 1e-3)
          assert.isAbove(bps!, 0)
        }
      }
      assert.deepInclude(result.slippage[2], { buy_bps: null, sell_bps: null })
      assert.isTrue(result.notes.some((note) => note.includes("the recorded book ends")))
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("a hand-written order book", (it) => {
  it.effect("shows walls, and returns null for a side that is too thin or empty", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      const thinBook = layerWithBook([[99.9, 10], [99.8, 10], [99.7, 100]], [[100.1, 10], [100.2, 10]])
      const result = yield* callTool(getOrderbook, { coin: "BTC", sizes_usd: [1001, 2003, 2003.1, 5_000] }).pipe(
        thinBook
      )
      assert.strictEqual(result.mid, 100)
      assert.closeTo(result.spread_bps!, 20, 1e-9)
      assert.deepStrictEqual(result.walls.map(({ price, side, times_median }) => [side, price, times_median]), [
        ["bid", 99.7, Number((9970 / 999).toFixed(6))]
      ])
      const [first, second, third, fourth] = result.slippage
      assert.closeTo(first!.buy_bps!, 10, 1e-4)
      assert.closeTo(second!.buy_bps!, 15, 1e-4)
      assert.isNull(third!.buy_bps)
      assert.isNull(fourth!.buy_bps)
      assert.isNotNull(fourth!.sell_bps)
      assert.strictEqual(result.source, "made")
      const empty = yield* callTool(getOrderbook, { coin: "BTC" }).pipe(layerWithBook([], [[100, 1]]))
      assert.deepInclude(empty, { mid: null, best_bid: null, best_ask: 100, imbalance_pct: null })
      assert.isTrue(empty.notes[0]!.startsWith("One side of the book is empty"))
      for (const sizes_usd of [[], [0], [5e-324], [1e300], [1, 2, 3, 4, 5, 6]]) {
        assert.strictEqual(
          (yield* Effect.flip(callExpectingFailure(getOrderbook, { coin: "BTC", sizes_usd })))._tag,
          "InvalidArguments"
        )
      }
    }))

  it.effect("levels, VWAP, profile and book fail with no_data before a coin's listing", () =>
    Effect.gen(function*() {
      yield* setTime(Date.UTC(2001, 0, 1))
      for (const tool of [getLevels, getVwap, getVolumeProfile, getOrderbook]) {
        assert.strictEqual((yield* callExpectingFailure(tool, { coin: "BTC" })).code, "no_data", tool.name)
      }
    }))
})

withLayer(layerEngineOver(layerGappyMarket), { timeout: 60_000 })("levels over a market with gaps", (it) => {
  it.effect("notes report missing candles, and no swing is found next to a gap", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      const levels = yield* callTool(getLevels, { coin: "BTC", tf: "1h" })
      assert.isTrue(levels.notes.some((note) => note.includes("next to a gap")))
      assert.isBelow(levels.n, 300)
      const { candles } = yield* readValue((yield* CoinPrices).candles({ coin: "BTC", timeframe: "5m", bars: 300 }))
        .pipe(
          Effect.map((candles) => ({ candles }))
        )
      const day = yield* callTool(getVwap, { coin: "BTC" })
      assert.isTrue(day.notes.some((note) => note.includes("not recorded")))
      const midnight = Math.floor(now / dayMs) * dayMs
      assert.strictEqual(day.n, candles.filter(({ time }) => time >= midnight).length)
      const profile = yield* callTool(getVolumeProfile, { coin: "BTC" })
      assert.isTrue(profile.notes.some((note) => note.includes("missing")))
      assert.strictEqual(profile.n, candles.filter(({ time }) => time > now - dayMs - 5 * minuteMs).length)
      // The previous day was not recorded completely, so there are no pivots.
      assert.isNull(levels.pivots)
    }))
})
