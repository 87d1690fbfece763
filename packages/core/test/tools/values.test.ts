import { assert, describe, it } from "@effect/vitest"
import {
  CoinPrices,
  hourMs,
  makeReading,
  minuteMs,
  pickTools,
  readValue,
  rounding,
  Toolbox,
  tools
} from "@tapeline/core"
import {
  getBinaryEv,
  getFearGreed,
  getIndicators,
  getKimchiPremium,
  getMarketOverview,
  getPrice,
  getPriceAt,
  getPriceHistory,
  getProbability,
  getScore,
  getUsStock
} from "@tapeline/core/specifications"
import { ema, rsi } from "@tapeline/quant/indicators"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { splitPremium } from "../../src/tools/korea/premium.ts"
import { readCloses } from "./closes.ts"
import { makeFakeMarket, now } from "./fakeMarket.ts"
import { makeRunOnEngine } from "./runOnEngine.ts"

const withTools = makeRunOnEngine(Toolbox.layer(pickTools(tools, [
  "get_binary_ev",
  "get_fear_greed",
  "get_indicators",
  "get_kimchi_premium",
  "get_market_overview",
  "get_price",
  "get_price_at",
  "get_price_history",
  "get_probability",
  "get_score",
  "get_us_stock"
])))

/** Compares two numbers within the rounding of results: four decimals for percentages and points, six for fractions. */
const close = (actual: number | null, expected: number, tolerance = 0.51e-4): void =>
  assert.closeTo(actual!, expected, tolerance)

describe("get_binary_ev", () => {
  it.effect("computes 0.58 * 0.8 - 0.42 for a probability of 0.58 and a payout of 80 %", () =>
    withTools(Effect.gen(function*() {
      const result = yield* callTool(getBinaryEv, { p_win: 0.58, payout_pct: 80 })
      close(result.ev_per_unit, 0.044, 0.51e-6)
      close(result.break_even_win_rate, 1 / 1.8, 0.51e-6)
      close(result.edge, 0.58 - 1 / 1.8, 0.51e-6)
      close(result.kelly_fraction, (0.58 - 1 / 1.8) / (0.8 / 1.8), 0.51e-6)
      assert.deepStrictEqual(Object.keys(result).sort(), [
        "break_even_win_rate",
        "edge",
        "ev_per_unit",
        "kelly_fraction"
      ])
    })))

  it.effect("has a Kelly fraction of 0 without an edge", () =>
    withTools(Effect.gen(function*() {
      const result = yield* callTool(getBinaryEv, { p_win: 0.4, payout_pct: 100 })
      close(result.ev_per_unit, -0.2, 0.51e-6)
      assert.strictEqual(result.kelly_fraction, 0)
    })))
})

describe("get_probability", () => {
  it.effect("matches values computed by hand from its sigma", () =>
    withTools(Effect.gen(function*() {
      const market = yield* CoinPrices
      const { price } = yield* readValue(market.priceAt({ coin: "BTC", time: now }))
      const result = yield* callTool(getProbability, { coin: "btc", horizon_min: 1440, target: price })
      close(result.price, price, 1e-7)
      assert.strictEqual(result.sigma_window.tf, "1h")
      assert.strictEqual(result.sigma_window.n, 720)
      close(result.p_up, 0.5, 0.51e-6)
      close(result.p_above, 0.5, 0.51e-6)
      close(result.p_touch, 1, 0.51e-6)
      const candles = (yield* readValue(market.candles({ coin: "BTC", timeframe: "1h", bars: 722 }))).filter((
        { closed }
      ) => closed)
      const returns = readCloses(candles).slice(-721).flatMap((value, i, all) =>
        i === 0 ? [] : [Math.log(value / all[i - 1]!)]
      )
      assert.strictEqual(returns.length, 720)
      const mean = returns.reduce((sum, r) => sum + r, 0) / 720
      const sd = Math.sqrt(returns.reduce((sum, r) => sum + (r - mean) ** 2, 0) / 719)
      close(result.sigma_annualised_pct, 100 * sd * Math.sqrt(8_760))
      const v = sd * Math.sqrt(24)
      // The expected move is the mean of |exp(v z) - 1| over a standard normal z, computed by midpoints. The mean of
      // |v z| would be a different value.
      let move = 0
      for (let z = -9.9995; z < 10; z += 0.001) {
        move += (0.001 * Math.abs(Math.expm1(v * z)) * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)
      }
      close(result.expected_move_pct, 100 * move)

      // For a level one standard deviation above the price, the probability of a close above is N(-1), and the
      // probability of a touch is twice as high.
      const up = yield* callTool(getProbability, { coin: "BTC", horizon_min: 1440, target: price * Math.exp(v) })
      close(up.p_above, 0.158655253931457, 0.51e-6)
      close(up.p_touch, 0.317310507862914, 0.51e-6)
      close(up.range_68!.high, price * Math.exp(v), 1e-3)
    })))

  it.effect("has null for values that need a target if no target is given", () =>
    withTools(Effect.gen(function*() {
      const result = yield* callTool(getProbability, { coin: "ETH", horizon_min: 10 })
      assert.isNull(result.target)
      assert.isNull(result.p_above)
      assert.isNull(result.p_touch)
      assert.isAbove(result.expected_move_pct!, 0)
      assert.isTrue(result.notes.some((note) => note.includes("target")))
      assert.strictEqual(result.sigma_window.tf, "5m")
    })))
})

describe("prices", () => {
  it.effect("returns the current price and a change of 0 for 0 minutes ago", () =>
    withTools(Effect.gen(function*() {
      const result = yield* callTool(getPriceAt, { coin: "SOL", minutes_ago: 0 })
      assert.strictEqual(result.price, result.price_now)
      assert.strictEqual(result.change_pct, 0)
      assert.strictEqual(result.time, result.as_of)
    })))

  it.effect("returns the price of an hour ago by default", () =>
    withTools(Effect.gen(function*() {
      const result = yield* callTool(getPriceAt, { coin: "SOL" })
      assert.strictEqual(Date.parse(result.time), now - 60 * minuteMs)
      close(result.change_pct, (result.price_now! / result.price - 1) * 100)
    })))

  it.effect("has null for a change over 24 hours of a younger coin, with a note", () =>
    withTools(
      Effect.gen(function*() {
        const youngCoinPrice = yield* callTool(getPrice, { coin: "BABY" })
        assert.isNull(youngCoinPrice.change_24h_pct)
        assert.strictEqual(youngCoinPrice.notes.length, 1)
        assert.deepStrictEqual((yield* callTool(getPrice, { coin: "BTC" })).notes, [])
        const overview = yield* callTool(getMarketOverview, {})
        assert.isTrue(overview.notes.some((note) => note.includes("BABY")))
      }),
      { time: now - 20 * hourMs }
    ))

  it.effect("fails with the message that no coin has a price if the market has no tickers", () => {
    const fullMarket = makeFakeMarket()
    const silent = Layer.effect(
      CoinPrices,
      Effect.map(CoinPrices, (prices) => ({ ...prices, tickers: Effect.succeed(makeReading([], "fixture", now)) }))
    )
    const market = { ...fullMarket, layer: silent.pipe(Layer.provideMerge(fullMarket.layer)) }
    return withTools(
      Effect.gen(function*() {
        assert.strictEqual(
          (yield* callExpectingFailure(getMarketOverview, {})).message,
          "No coin has a price right now."
        )
      }),
      { market }
    )
  })

  it.effect("fails for a time before the listing", () =>
    withTools(Effect.gen(function*() {
      assert.strictEqual(
        (yield* callExpectingFailure(getPriceAt, { coin: "BABY", minutes_ago: 43_200 })).code,
        "no_data"
      )
    })))

  it.effect("includes closed: false only for the open candle", () =>
    withTools(Effect.gen(function*() {
      const result = yield* callTool(getPriceHistory, { coin: "BTC" })
      assert.strictEqual(result.tf, "1h")
      assert.strictEqual(result.candles.length, 40)
      assert.isTrue(result.candles.slice(0, -1).every((candle) => !("closed" in candle)))
      assert.strictEqual(result.candles[39]!.closed, false)
      assert.strictEqual(Date.parse(result.as_of), now)
      yield* TestClock.setTime(Math.floor(now / hourMs) * hourMs)
      const fullHistory = yield* callTool(getPriceHistory, { coin: "BTC" })
      assert.isFalse("closed" in fullHistory.candles[39]!)
      assert.strictEqual(fullHistory.as_of, new Date(Math.floor(now / hourMs) * hourMs).toISOString())
    })))

  it.effect("returns a thousand candles within the maximum size of a result", () =>
    withTools(Effect.gen(function*() {
      const result = yield* callTool(getPriceHistory, { coin: "XRP", tf: "5m", bars: 1_000 })
      assert.strictEqual(result.candles.length, 1_000)
      assert.isBelow(JSON.stringify(result).length, 256 * 1024)
    })))

  it.effect("notes that the history of a young coin is short", () =>
    withTools(Effect.gen(function*() {
      const result = yield* callTool(getPriceHistory, { coin: "BABY", bars: 100 })
      assert.isBelow(result.candles.length, 40)
      assert.strictEqual(result.notes.length, 1)
    })))
})

describe("get_indicators", () => {
  it.effect("uses closed candles only, so the running candle changes nothing", () =>
    withTools(Effect.gen(function*() {
      const result = yield* callTool(getIndicators, { coin: "BTC" })
      yield* TestClock.setTime(now + 20 * minuteMs)
      assert.deepStrictEqual(yield* callTool(getIndicators, { coin: "BTC" }), result)
      assert.strictEqual(result.n, 1_600)
      assert.strictEqual(Date.parse(result.as_of), Math.floor(now / hourMs) * hourMs)
      const market = yield* CoinPrices
      const candles = (yield* readValue(market.candles({ coin: "BTC", timeframe: "1h", bars: 601, until: now })))
        .filter((
          { closed }
        ) => closed)
      close(result.rsi, rsi(readCloses(candles), 14)[599]!)
      const last20 = readCloses(candles).slice(-20)
      const mean = last20.reduce((sum, value) => sum + value, 0) / 20
      const sd = Math.sqrt(last20.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 20)
      close(result.bollinger.upper, mean + 2 * sd, 1e-4)
      close(result.momentum_pct, (readCloses(candles)[599]! / readCloses(candles)[589]! - 1) * 100)
    })))

  it.effect.each(["15m", "1h", "4h", "1d"] as const)(
    "has an EMA(200) of %s that equals the EMA of a long history",
    (tf) =>
      withTools(Effect.gen(function*() {
        const market = yield* CoinPrices
        const result = yield* callTool(getIndicators, { coin: "BTC", tf })
        const read = yield* readValue(market.candles({ coin: "BTC", timeframe: tf, bars: 5_000, until: now }))
        const fullEma = ema(readCloses(read.filter(({ closed }) => closed)), 200).at(-1)!
        assert.isBelow(Math.abs(result.ema["200"]! / fullEma - 1), 1e-6)
      }))
  )

  it.effect("derives the position between the bands from the rounded bands, also for a pegged coin", () =>
    withTools(Effect.gen(function*() {
      for (const tf of ["15m", "1h", "4h"] as const) {
        for (const coin of ["USDT", "BTC"]) {
          const { bollinger, close: price } = yield* callTool(getIndicators, { coin, tf })
          const [upper, middle, lower] = [bollinger.upper!, bollinger.middle!, bollinger.lower!]
          assert.strictEqual(bollinger.position_pct, rounding.percent(((price - lower) / (upper - lower)) * 100))
          assert.strictEqual(bollinger.width_pct, rounding.percent(((upper - lower) / middle) * 100))
        }
      }
    })))
})

describe("get_kimchi_premium", () => {
  it.effect("returns rounded legs that add up to the rounded premium", () =>
    withTools(Effect.gen(function*() {
      for (const args of [{}, { scan_all: true, top: 100 }, { coin: "ETH" }, { coin: "BABY" }]) {
        const result = yield* callTool(getKimchiPremium, args)
        for (const row of [...result.rows, ...(result.history ?? [])]) {
          assert.strictEqual(rounding.percent(row.currency_leg_pct! + row.asset_leg_pct!), row.premium_pct)
        }
        for (const row of result.rows) close(row.premium_pct, (row.krw_price / (row.usd_price! * row.fx) - 1) * 100)
      }
    })))

  it("splits the premium into legs in proportion to their logarithms", () => {
    const price = (middle: number) => fc.double({ min: middle / 2, max: middle * 2, noNaN: true })
    fc.assert(
      fc.property(price(60_000), price(1_400), price(1_400), price(84e6), (usdtPrice, usdtKrw, usdKrw, krwPrice) => {
        const { asset_leg_pct, currency_leg_pct, premium_pct } = splitPremium({ usdtPrice, usdtKrw, usdKrw, krwPrice })
        assert.strictEqual(rounding.percent(asset_leg_pct + currency_leg_pct), premium_pct)
        const currency = Math.log(usdtKrw / usdKrw)
        const total = Math.log(krwPrice / (usdtPrice * usdKrw))
        close(premium_pct, 100 * Math.expm1(total))
        // The expected ratio: currency / total = currency_leg / premium.
        close(currency_leg_pct * total, currency * premium_pct, 1e-3)
      })
    )
  })

  it.effect("includes fresh listings and the largest coins in the watchlist, and only liquid markets in the scan", () =>
    withTools(Effect.gen(function*() {
      const watch = yield* callTool(getKimchiPremium, {})
      assert.deepStrictEqual(watch.rows.map(({ coin }) => coin), ["BABY", "BTC", "ETH", "SOL", "XRP", "DOGE"])
      const youngCoin = watch.rows[0]!
      assert.isTrue(youngCoin.is_new_listing)
      assert.strictEqual(youngCoin.reliability, "low")
      assert.isFalse(watch.rows[1]!.is_new_listing)
      assert.strictEqual(watch.rows[1]!.reliability, "high")
      assert.isFalse("history" in watch)

      const scan = yield* callTool(getKimchiPremium, { scan_all: true })
      assert.notInclude(scan.rows.map(({ coin }) => coin), "BABY")
      const sizes = scan.rows.map(({ premium_pct }) => Math.abs(premium_pct!))
      assert.deepStrictEqual(sizes, [...sizes].sort((a, b) => b - a))
      const topRows = yield* callTool(getKimchiPremium, { scan_all: true, top: 2 })
      assert.strictEqual(topRows.rows.length, 2)
      assert.strictEqual(topRows.scanned, scan.rows.length)
      assert.isTrue(topRows.notes.some((note) => note.startsWith("2 of")))
    })))

  it.effect("returns 48 hours of one coin, or the marked hours of a fresh listing", () =>
    withTools(Effect.gen(function*() {
      const eth = yield* callTool(getKimchiPremium, { coin: "eth" })
      assert.strictEqual(eth.rows.length, 1)
      assert.strictEqual(eth.history!.length, 48)
      assert.isTrue(eth.history!.every((point) => !("reliability" in point)))
      const youngCoinPremium = yield* callTool(getKimchiPremium, { coin: "BABY" })
      assert.strictEqual(youngCoinPremium.history!.length, 20)
      assert.isTrue(youngCoinPremium.history!.every(({ reliability }) => reliability === "low"))
      assert.strictEqual((yield* callExpectingFailure(getKimchiPremium, { coin: "ADA" })).code, "no_data")
    })))
})

describe("get_us_stock", () => {
  it.effect("returns US stocks only, with notes on null values", () =>
    withTools(Effect.gen(function*() {
      const apple = yield* callTool(getUsStock, { symbol: "aapl" })
      assert.deepStrictEqual(apple.range_52w, { low: 160, high: 260, position_pct: 50 })
      assert.deepStrictEqual([apple.eps, apple.pe, apple.notes], [7, 30, []])
      const atLoss = yield* callTool(getUsStock, { symbol: "RIVN" })
      assert.deepStrictEqual([atLoss.eps, atLoss.pe], [-3, null])
      assert.deepStrictEqual(atLoss.notes, [
        "pe is null: the sum of the last four quarters' earnings is not above 0."
      ])
      const fund = yield* callTool(getUsStock, { symbol: "SPY" })
      assert.deepStrictEqual([fund.exchange, fund.sector, fund.change_pct], ["NYSE Arca", null, null])
      assert.deepStrictEqual(fund.range_52w, { low: null, high: null, position_pct: null })
      assert.deepStrictEqual(fund.notes, [
        "change_pct is null: the previous close is unknown.",
        "Not reported by any source: turnover_usd, market_cap_usd, eps, range_52w.",
        "pe is null: no source reports the sum of the last four quarters' earnings.",
        "pb is null: no source reports the book value."
      ])
      assert.strictEqual((yield* callExpectingFailure(getUsStock, { symbol: "005930" })).code, "no_data")
      assert.strictEqual((yield* callExpectingFailure(getUsStock, { symbol: "NOPE" })).code, "unknown_symbol")
    })))
})

describe("composite indices", () => {
  it.effect("returns contributions that add up to the score", () =>
    withTools(Effect.gen(function*() {
      for (const coin of ["BTC", "ETH", "BABY"]) {
        const result = yield* callTool(getScore, { coin })
        const sum = result.factors.reduce((total, { contribution }) => total + (contribution ?? 0), 0)
        close(sum, result.score, 1e-9)
        close(
          result.factors.reduce((total, { value, weight }) => total + (value === null ? 0 : weight), 0),
          result.coverage
        )
      }
    })))

  it.effect("returns fear and greed of 30 days, updated at midnight", () =>
    withTools(Effect.gen(function*() {
      const result = yield* callTool(getFearGreed, {})
      assert.strictEqual(result.history.length, 30)
      assert.strictEqual(result.history[29]!.value, result.value)
      assert.strictEqual(result.as_of, "2026-06-19T00:00:00.000Z")
      assert.strictEqual(result.coverage, 1)
      const weights = result.components.reduce((sum, { weight }) => sum + weight, 0)
      close(weights, 1)
      close(result.components.reduce((sum, { value, weight }) => sum + weight * value!, 0), result.value)
      close(result.change_1d, result.value - result.history[28]!.value)
    })))
})
