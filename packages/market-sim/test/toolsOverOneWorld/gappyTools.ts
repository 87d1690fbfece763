import { assert, layer as withLayer } from "@effect/vitest"
import { CoinPrices, dayMs, DerivedStore, EquityMarkets, hourMs, minuteMs, readValue } from "@tapeline/core"
import {
  getActiveSignals,
  getCoil,
  getFearGreed,
  getHitRate,
  getIndicators,
  getKimchiPremium,
  getMarketOverview,
  getPrice,
  getPriceAt,
  getPriceHistory,
  getProbability,
  getRegime,
  getScore,
  getScoreHistory,
  getSignalOutcomes,
  getUsStock
} from "@tapeline/core/specifications"
import { ema } from "@tapeline/quant/indicators"
import { isFullRun } from "@tapeline/testing/fullRun"
import { seed } from "@tapeline/testing/seed"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { assertEveryTool, callTimes } from "../support/everyTool.ts"
import { delistedAt, gaps, layerCompleteMarket, layerGappyMarket, now, openOutage } from "../support/markets.ts"

/** Computes factors of a score from the result of `get_indicators` for the same hour, and from hourly closes. */
const computeScoreFactors = Effect.fnUntraced(function*(coin: string) {
  const { as_of, atr, close, ema: averages, macd, rsi } = yield* callTool(getIndicators, { coin, tf: "1h" })
  const score = yield* callTool(getScore, { coin })
  assert.strictEqual(score.as_of, as_of)
  const value = (name: string): number => score.factors.find((factor) => factor.name === name)!.value!
  assert.closeTo(value("trend"), Math.tanh((averages["20"]! - averages["50"]!) / (2 * atr!)), 1e-4)
  // The averages of a score start 600 hours before the UTC day, so that they are equal for all hours of a day.
  const to = Date.parse(as_of)
  const from = Math.ceil(to / dayMs - 1) * dayMs - 600 * hourMs
  const prices = yield* CoinPrices
  const candles = yield* readValue(prices.candleRange({ coin, timeframe: "1h", from, to }))
  const longAverage = ema(Float64Array.from(candles, (candle) => candle.close), 200).at(-1)!
  assert.closeTo(value("long_trend"), Math.tanh((close - longAverage) / (8 * atr!)), 1e-4)
  assert.closeTo(value("rsi"), Math.max(-1, Math.min(1, (rsi! - 50) / 30)), 1e-5)
  assert.closeTo(value("macd"), Math.tanh((2 * macd.histogram!) / atr!), 1e-4)
})

const getMinutesSince = (time: number): number => Math.round((now - time) / minuteMs)

type Check = readonly [
  title: string,
  check: Effect.Effect<void, unknown, Layer.Success<ReturnType<typeof layerEngineOver>>>
]

const checks: ReadonlyArray<Check> = [
  [
    "candles equal those of the complete market, except unrecorded ones, which a note counts",
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const [tf, bars] of [["5m", 500], ["1h", 60], ["1d", 60]] as const) {
        const { candles, notes } = yield* callTool(getPriceHistory, { coin: "BTC", tf, bars })
        // `bars` counts back from the newest recorded bar.
        const all = yield* callTool(getPriceHistory, { coin: "BTC", tf, bars: bars + 2 }).pipe(
          Effect.provide(Layer.fresh(layerEngineOver(layerCompleteMarket)))
        )
        assert.deepStrictEqual(all.notes, [])
        assert.isBelow(candles.length, bars)
        for (const candle of candles) assert.deepInclude(all.candles, candle)
        const [from, to] = [candles[0]!.time, candles.at(-1)!.time]
        const holes = all.candles.filter(({ time }) => time >= from && time <= to).length - candles.length
        assert.isTrue(
          notes.some((note) => note.startsWith(`${holes} candles within this period were not recorded`)),
          tf
        )
      }
    })
  ],

  [
    "a note about one missing candle uses the singular",
    Effect.gen(function*() {
      yield* TestClock.setTime(gaps[1].to + 2 * hourMs)
      const { notes } = yield* callTool(getPriceHistory, { coin: "BTC", tf: "1h", bars: 4 })
      assert.deepStrictEqual(notes, ["1 candle within this period was not recorded and is missing."])
      const { notes: indicatorNotes } = yield* callTool(getIndicators, { coin: "BTC", tf: "1h" })
      assert.isTrue(indicatorNotes.some((note) => /^\d+ candles? within this period/u.test(note)))
    })
  ],

  [
    "a backfill restores missing candles",
    Effect.gen(function*() {
      const ask = callTool(getPriceHistory, { coin: "ETH", tf: "1h", bars: 20 })
      yield* TestClock.setTime(now)
      assert.isAbove((yield* ask).notes.length, 0)
      yield* TestClock.setTime(openOutage.filledAt + minuteMs)
      const recoveredResult = yield* ask
      assert.deepStrictEqual(recoveredResult.notes, [])
      assert.deepStrictEqual(
        recoveredResult,
        yield* Effect.provide(ask, Layer.fresh(layerEngineOver(layerCompleteMarket)))
      )
    })
  ],

  [
    "a past price is the last recorded one, and fails with no_data in a long outage",
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const earlyPrice = yield* callTool(getPriceAt, {
        coin: "BTC",
        minutes_ago: getMinutesSince(gaps[2].from + 30 * minuteMs)
      })
      assert.isBelow(Date.parse(earlyPrice.time), gaps[2].from)
      const { price } = yield* readValue(
        (yield* CoinPrices).priceAt({ coin: "BTC", time: Date.parse(earlyPrice.time) })
      )
      assert.closeTo(earlyPrice.price / price, 1, 1e-9)
      const afterOutageQuery = { coin: "BTC", minutes_ago: getMinutesSince(gaps[2].from + 2 * hourMs) }
      assert.strictEqual((yield* callExpectingFailure(getPriceAt, afterOutageQuery)).code, "no_data")
    })
  ],

  [
    "changes over unrecorded data and market capitalisations of unknown supply are null",
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const priceWithoutHistory = yield* callTool(getPrice, { coin: "XRP" })
      assert.isNull(priceWithoutHistory.change_24h_pct)
      assert.isNull(priceWithoutHistory.market_cap_usd)
      assert.strictEqual(priceWithoutHistory.notes.length, 3)
      for (const figure of ["high_24h", "low_24h", "volume_24h_usd"] as const) {
        assert.isNull(priceWithoutHistory[figure])
        assert.isTrue(
          priceWithoutHistory.notes.some((note) => note.includes("not recorded completely") && note.includes(figure))
        )
      }
      const overview = yield* callTool(getMarketOverview, {})
      assert.isTrue(overview.coins.every(({ volume_24h_usd }) => volume_24h_usd === null))
      assert.isTrue(overview.notes.some((note) => note.startsWith("No volume") && note.includes("BTC")))
      assert.isTrue(overview.coins.every(({ change_24h_pct }) => change_24h_pct === null))
      assert.isNull(overview.breadth.advancing_pct)
      assert.isFalse(overview.coins.some(({ coin }) => coin === "LTC"))
      yield* TestClock.setTime(now + 2 * hourMs)
      assert.isNotNull((yield* callTool(getPrice, { coin: "XRP" })).change_24h_pct)
      yield* TestClock.setTime(openOutage.filledAt + dayMs)
      const recoveredPrice = yield* callTool(getPrice, { coin: "BTC" })
      assert.deepStrictEqual(recoveredPrice.notes, [])
      assert.isAbove(recoveredPrice.high_24h!, recoveredPrice.low_24h!)
      assert.isAbove(recoveredPrice.volume_24h_usd!, 0)
    })
  ],

  [
    "averages skip missing candles, windows need contiguous ones, and notes report both",
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const indicators = yield* callTool(getIndicators, { coin: "BTC", tf: "1h" })
      assert.isAbove(indicators.n, 240)
      assert.isNotNull(indicators.rsi)
      assert.isNotNull(indicators.ema["200"])
      assert.isNull(indicators.momentum_pct)
      assert.isNull(indicators.bollinger.middle)
      const missing = 1_600 - indicators.n
      assert.isTrue(indicators.notes.some((note) => note.startsWith(`${missing} candles within this period were not`)))
      const four = yield* callTool(getIndicators, { coin: "BTC", tf: "4h" })
      assert.isBelow(four.n, 1_600)
      assert.isNotNull(four.ema["200"])
    })
  ],

  [
    "a score uses the same averages as the indicators of its hour, with and without missing candles",
    Effect.gen(function*() {
      for (const time of [now, gaps[2].to + 90 * minuteMs, Math.floor(now / dayMs) * dayMs + minuteMs]) {
        for (const coin of ["BTC", "XRP"]) {
          yield* TestClock.setTime(time)
          yield* computeScoreFactors(coin)
        }
      }
    })
  ],

  [
    "volatility uses only returns between adjacent candles",
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { sigma_annualised_pct, sigma_window } = yield* callTool(getProbability, {
        coin: "BTC",
        horizon_min: 1440
      })
      assert.isBelow(sigma_window.n, 720)
      const all = yield* callTool(getProbability, { coin: "BTC", horizon_min: 1440 }).pipe(
        Effect.provide(Layer.fresh(layerEngineOver(layerCompleteMarket)))
      )
      assert.strictEqual(all.sigma_window.n, 720)
      assert.closeTo(sigma_annualised_pct! / all.sigma_annualised_pct!, 1, 0.1)
    })
  ],

  [
    "a score omits missing factors, and uses windows that are mostly recorded",
    Effect.gen(function*() {
      // Three weeks later, all gaps are older than a week.
      yield* TestClock.setTime(now + 21 * dayMs)
      const values = (coin: string) =>
        Effect.map(callTool(getScore, { coin }), ({ factors, notes }) => ({
          coinValues: Object.fromEntries(factors.map(({ name, value }) => [name, value])),
          notes
        }))
      const xrpValues = yield* values("XRP")
      assert.isNull(xrpValues.coinValues["flow"])
      assert.isNull(xrpValues.coinValues["open_interest"])
      assert.isNotNull(xrpValues.coinValues["trend"])
      assert.isTrue(xrpValues.notes.some((note) => note.includes("flow") && note.includes("open_interest")))
      for (const coin of ["BTC", "SOL", "DOGE"]) {
        const { notes, coinValues } = yield* values(coin)
        assert.isNotNull(coinValues["funding"], coin)
        assert.deepStrictEqual(notes, [], coin)
      }
      // A window of one day is used if five hours of it are missing, but not if 20 hours are missing.
      yield* TestClock.setTime(gaps[2].to + 9 * hourMs)
      const short = yield* values("BTC")
      const divergenceNotes = short.notes.filter((note) =>
        note.startsWith("Divergences include only swings since 2026-11-1")
      )
      assert.strictEqual(divergenceNotes.length, 1, short.notes.join())
      assert.isNotNull(short.coinValues["momentum"])
      assert.isNotNull(short.coinValues["flow"])
      yield* TestClock.setTime(gaps[0].to + 9 * hourMs)
      const long = yield* values("BTC")
      assert.isNotNull(long.coinValues["trend"])
      assert.isNull(long.coinValues["flow"])
    })
  ],

  [
    "funding with another interval has nearly the same factor as funding every 8 hours",
    Effect.gen(function*() {
      const time = now + 40 * dayMs
      yield* TestClock.setTime(time)
      const funding = (coin: string) =>
        Effect.map(
          callTool(getScore, { coin }),
          ({ factors }) => factors.find(({ name }) => name === "funding")!.value!
        )
      const gappyFunding = yield* funding("SOL")
      const completeFunding = yield* Effect.provide(funding("SOL"), Layer.fresh(layerEngineOver(layerCompleteMarket)))
      // The venue pays SOL's funding twice as often at the same rate, so the rank of the rate is nearly the same.
      assert.closeTo(gappyFunding, completeFunding, 0.25)
    })
  ],

  [
    "coil, score and regime fail with no_data soon after an outage, and work later",
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      // For a recently listed coin, the error message would be different.
      const unrecorded = "Not all hourly candles of BTC that this result needs were recorded."
      assert.deepInclude(yield* callExpectingFailure(getCoil, { coin: "BTC" }), {
        code: "no_data",
        message: unrecorded
      })
      assert.notStrictEqual((yield* callTool(getRegime, {})).label, undefined)
      yield* TestClock.setTime(gaps[2].from + 4 * hourMs)
      assert.strictEqual((yield* callExpectingFailure(getRegime, {})).code, "no_data")
      assert.deepInclude(yield* callExpectingFailure(getScore, { coin: "BTC" }), {
        code: "no_data",
        message: unrecorded
      })
      yield* TestClock.setTime(now + 4 * dayMs)
      assert.strictEqual((yield* callTool(getCoil, { coin: "BTC" })).coin, "BTC")
      const history = yield* callTool(getScoreHistory, { coin: "BTC", hours: 200 })
      assert.isBelow(history.points.length, 200)
      assert.isTrue(history.notes.some((note) => note.startsWith(`Only ${history.points.length} of the last 200`)))
    })
  ],

  [
    "a signal with unrecorded hours has no outcome, and a note counts such signals",
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const derived = yield* DerivedStore
      const { signals } = yield* readValue(derived.signals({ hours: 720 }))
      const unknown = signals.filter(({ missingHours }) => missingHours > 0)
      assert.isAbove(unknown.length, 0)
      const { notes, outcomes, summary } = yield* callTool(getSignalOutcomes, {})
      assert.strictEqual(summary.n + summary.running, signals.length - unknown.length)
      assert.isTrue(notes.some((note) => note.startsWith(`${unknown.length} signals are omitted`)))
      for (const { coin, openedAt } of unknown) {
        const opened_at = new Date(openedAt).toISOString()
        assert.isFalse(outcomes.some((outcome) => outcome.coin === coin && outcome.opened_at === opened_at))
      }
      const active = yield* callTool(getActiveSignals, {})
      assert.isTrue(active.signals.every(({ coin }) => coin !== "LTC"))
    })
  ],

  [
    "a delisted coin has no current values, and is included in past ones",
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const specification of [getPrice, getScore, getCoil]) {
        const { code, message } = yield* callExpectingFailure(specification, { coin: "LTC" })
        assert.strictEqual(code, "no_data")
        assert.include(message, new Date(delistedAt).toISOString().slice(0, 10))
      }
      const before = yield* callTool(getPriceAt, {
        coin: "LTC",
        minutes_ago: getMinutesSince(delistedAt - 2 * hourMs)
      })
      assert.isAbove(before.price, 0)
      assert.deepStrictEqual([before.price_now, before.change_pct, before.as_of], [null, null, before.time])
      assert.deepStrictEqual(before.notes, ["LTC stopped trading on 2026-11-14, so it has no price now."])
      const history = yield* callTool(getScoreHistory, { coin: "LTC", hours: 720 })
      // The coin's last hour counts as complete although trading ended within it, and its time is the end of the hour.
      assert.strictEqual(Date.parse(history.as_of), Math.ceil(delistedAt / hourMs) * hourMs)
      assert.isAbove((yield* callTool(getHitRate, { coin: "LTC" })).signals, 0)
      const { signals } = yield* readValue((yield* DerivedStore).signals({ hours: (isFullRun ? 90 : 30) * 24 }))
      assert.isTrue(signals.some(({ coin }) => coin === "LTC"))
    })
  ],

  [
    "indicators of a delisted coin are those of its last candle, with a note, at any later time",
    Effect.gen(function*() {
      for (const tf of ["1h", "4h", "1d"] as const) {
        yield* TestClock.setTime(delistedAt + 2 * minuteMs)
        const first = yield* callTool(getIndicators, { coin: "LTC", tf })
        assert.strictEqual(Date.parse(first.as_of), delistedAt)
        assert.isTrue(first.notes.some((note) => note.startsWith("LTC stopped trading at 2026-11-14T10:20")), tf)
        for (const days of [3, 45]) {
          yield* TestClock.setTime(delistedAt + days * dayMs)
          assert.deepStrictEqual(yield* callTool(getIndicators, { coin: "LTC", tf }), first)
        }
      }
    })
  ],

  [
    "indicators in an outage are those of its beginning, with a note once they are old",
    Effect.gen(function*() {
      const at = Effect.fnUntraced(function*(time: number) {
        yield* TestClock.setTime(time)
        return yield* callTool(getIndicators, { coin: "BTC", tf: "15m" })
      })
      const earlyGap = yield* at(gaps[0].from + hourMs)
      const beforeOutageEnd = yield* at(gaps[0].to - hourMs)
      assert.strictEqual(Date.parse(beforeOutageEnd.as_of), gaps[0].from)
      assert.deepStrictEqual(beforeOutageEnd, {
        ...earlyGap,
        notes: [`No candle after ${beforeOutageEnd.as_of} is recorded.`, ...earlyGap.notes]
      })
    })
  ],

  [
    "a premium without a USD price is null, and so is the age of a market of unknown date",
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { history, notes, rows: [row] } = yield* callTool(getKimchiPremium, { coin: "XRP" })
      assert.isNull(row!.premium_pct)
      assert.isNull(row!.usd_price)
      assert.isNull(row!.listed_at)
      assert.isNull(row!.is_new_listing)
      assert.notStrictEqual(row!.reliability, "high")
      assert.deepStrictEqual(history, [])
      assert.strictEqual(notes.filter((note) => note.includes("XRP")).length, 2)
      const btc = yield* callTool(getKimchiPremium, { coin: "BTC" })
      assert.isBelow(btc.history!.length, 48)
      assert.isTrue(btc.notes.some((note) => note.startsWith(`Only ${btc.history!.length} of the last 48 hours`)))
      const scan = yield* callTool(getKimchiPremium, { scan_all: true, top: 100 })
      // The notes must name an exchange whose prices are late.
      const delayedRow = scan.rows.find(({ exchange }) => exchange === "bithumb")!
      assert.isTrue(scan.notes.some((note) => note.startsWith("Prices older") && note.includes(delayedRow.coin)))
      const delayedPremium = yield* callTool(getKimchiPremium, { coin: delayedRow.coin })
      assert.isBelow(Date.parse(delayedPremium.as_of), Date.parse(btc.as_of))
      assert.isNull(scan.rows.at(-1)!.premium_pct)
      assert.isFalse(scan.rows.some(({ coin }) => coin === "LTC"))
    })
  ],

  [
    "the fear and greed index uses complete days, and has no value for an incomplete day",
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { as_of, coverage, history, notes } = yield* callTool(getFearGreed, {})
      assert.strictEqual(coverage, 1)
      // 40 minutes were never recorded nine days ago, so the daily candle of that day is incomplete.
      assert.isBelow(history.length, 30)
      assert.isTrue(notes.some((note) => note.startsWith(`Only ${history.length} of 30 days`)), as_of)
      // Five hours of yesterday were not recorded, so the newest complete day is the day before.
      assert.strictEqual(as_of, "2026-11-19T00:00:00.000Z")
      assert.isTrue(notes.some((note) => note.startsWith("There is no value for 2026-11-20T00:00")), notes.join())
      const regime = yield* callTool(getRegime, {})
      assert.isNull(regime.fear_greed)
      assert.isTrue(regime.notes.some((note) => note.includes("was not recorded completely")), regime.notes.join())
      yield* TestClock.setTime(now + dayMs)
      const after = yield* callTool(getFearGreed, {})
      assert.isFalse(after.notes.some((note) => note.startsWith("There is no value")), after.notes.join())
    })
  ],

  [
    "a stock without ratios and extended-hours prices has nulls and notes",
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const stock = yield* callTool(getUsStock, { symbol: "AAPL" })
      assert.isNull(stock.extended)
      assert.deepStrictEqual([stock.pe, stock.pb, stock.eps, stock.turnover_usd], [null, null, null, null])
      assert.deepStrictEqual(stock.notes, [
        "Not reported by any source: turnover_usd, market_cap_usd, eps, range_52w.",
        "pe is null: no source reports the sum of the last four quarters' earnings.",
        "pb is null: no source reports the book value."
      ])
      const quote = yield* readValue((yield* EquityMarkets).quote("AAPL"))
      assert.closeTo(stock.price, quote.price, 0.01)
    })
  ]
]

withLayer(layerEngineOver(layerGappyMarket), { timeout: 120_000 })("tools over a venue with missing data", (it) => {
  for (const [n, [description, time]] of Object.entries(callTimes).entries()) {
    if (!isFullRun && n !== seed % Object.keys(callTimes).length) continue
    it.effect(`every tool returns finite numbers or reports missing data: ${description}`, () => assertEveryTool(time))
  }
  for (const [title, check] of checks) it.effect(title, () => check)
})
