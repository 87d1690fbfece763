import { assert, it } from "@effect/vitest"
import {
  bucketStart,
  type Candle,
  CoinDerivatives,
  CoinPrices,
  dayMs,
  DerivedStore,
  durationMs,
  foldCandles,
  makeCandlesByCoin,
  makeMinutesFromPrices,
  makeReading,
  NoData,
  pickTools,
  SocialFeed,
  type Timeframe,
  Toolbox,
  tools,
  UnknownSymbol
} from "@tapeline/core"
import { getFearGreed, getIndicators, getPriceAt, getPriceHistory, getScore } from "@tapeline/core/specifications"
import { callTool, layerToolCaller } from "@tapeline/testing/toolCalls"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expectTypeOf } from "vitest"
import { coins, FakeCoins, now } from "./FakeCoins.ts"
import { makeFakeMarket } from "./fakeMarket.ts"

const btc = coins[0]!
const world = new FakeCoins(Infinity)
const noData = new NoData({ subject: "BTC", reason: { key: "none_recorded", params: { symbol: "BTC" } } })

/** The ports of an embedder that provides only 5-minute candles of one coin, with a delay of `lagMs`. */
const candlesOf = (lagMs: number) =>
  Layer.sync(CoinPrices, () => {
    const fold = Effect.fnUntraced(
      function*(coin: string, timeframe: Timeframe, from: number, to: number, until: number) {
        if (coin !== btc.coin) return yield* new UnknownSymbol({ symbol: coin })
        const length = durationMs[timeframe]
        const first = bucketStart(timeframe, from - 1) + length
        const fineCandles = world.candles(
          btc,
          "5m",
          { from: first, to: bucketStart(timeframe, to - 1) + length },
          until
        )
          .filter(({ closed, time }) => lagMs === 0 || closed && time + durationMs["5m"] + lagMs <= until)
        const foldedCandles: ReadonlyArray<Candle> = foldCandles(fineCandles, timeframe, { until })
        const last = foldedCandles.at(-1)
        return last === undefined
          ? yield* noData
          : makeReading(foldedCandles, "candles", Math.min(until, last.time + length))
      }
    )
    const priceAt: CoinPrices["Service"]["priceAt"] = Effect.fnUntraced(function*({ coin, time }) {
      const start = bucketStart("5m", time - 1)
      const { value } = yield* fold(coin, "5m", start, start + 1, time)
      return makeReading({ time, price: value[0]!.close }, "candles", time)
    })
    const candles: CoinPrices["Service"]["candles"] = ({ bars, coin, timeframe, until }) =>
      Effect.flatMap(Clock.currentTimeMillis, (currentTime) => {
        const end = Math.min(until ?? currentTime, currentTime)
        return fold(coin, timeframe, bucketStart(timeframe, end) - (bars - 1) * durationMs[timeframe], end + 1, end)
      })
    const watermarks: CoinPrices["Service"]["watermarks"] = (coins) =>
      Effect.map(Clock.currentTimeMillis, (time) => {
        const record = { contiguousUntil: time, revision: "1" }
        return makeReading(new Map(coins.includes(btc.coin) ? [[btc.coin, record]] : []), "candles", time)
      })
    return CoinPrices.of({
      coins: Effect.map(
        Clock.currentTimeMillis,
        (time) => makeReading([{ ...btc, circulatingSupply: null }], "candles", time)
      ),
      coin: (coin) =>
        coin === btc.coin
          ? Effect.map(Clock.currentTimeMillis, (time) =>
            makeReading({ ...btc, circulatingSupply: null }, "candles", time))
          : Effect.fail(new UnknownSymbol({ symbol: coin })),
      candles,
      candlesByCoin: makeCandlesByCoin(candles, "candles"),
      minutes: makeMinutesFromPrices({ priceAt, watermarks }, "candles"),
      candleRange: ({ coin, from, timeframe, to }) =>
        Effect.flatMap(
          Clock.currentTimeMillis,
          (currentTime) =>
            fold(coin, timeframe, from, Math.min(to, currentTime + 1), currentTime)
        ),
      watermarks,
      priceAt,
      ticker: () => Effect.fail(noData),
      tickers: Effect.fail(noData),
      totalMarket: Effect.fail(noData)
    })
  })

const candlesAlone = candlesOf(0)

const limitedTools = pickTools(tools, ["get_price_at", "get_price_history", "get_indicators", "get_probability"])

it("a tool's type states the ports that it requires", () => {
  expectTypeOf(Toolbox.layer(limitedTools)).toEqualTypeOf<Layer.Layer<Toolbox, never, CoinPrices>>()
  const scores = pickTools(tools, ["get_score", "get_score_history"])
  expectTypeOf(Toolbox.layer(scores)).toEqualTypeOf<Layer.Layer<Toolbox, never, DerivedStore>>()
  assert.deepStrictEqual(limitedTools.map(({ specification }) => specification.name), [
    "get_indicators",
    "get_price_at",
    "get_price_history",
    "get_probability"
  ])
})

it.effect("serves candle-based tools to an embedder that has only candles", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const history = yield* callTool(getPriceHistory, { coin: "BTC", tf: "4h", bars: 30 })
    assert.strictEqual(history.source, "candles")
    assert.strictEqual(history.candles.length, 30)
    const indicators = yield* callTool(getIndicators, { coin: "BTC", tf: "1h" })
    assert.strictEqual(indicators.n, 1_600)
    assert.isAbove((yield* callTool(getPriceAt, { coin: "BTC", minutes_ago: 90 })).price, 0)
    // The complete market also computes longer candles from 5-minute candles, so both results are equal.
    const fullIndicators = yield* Effect.provide(
      Effect.andThen(TestClock.setTime(now), callTool(getIndicators, { coin: "BTC", tf: "1h" })),
      Layer.fresh(layerToolCaller(Toolbox.layer(limitedTools).pipe(Layer.provide(makeFakeMarket().layer))))
    )
    assert.deepStrictEqual({ ...indicators, source: "fixture" }, fullIndicators)
  }).pipe(Effect.provide(layerToolCaller(Toolbox.layer(limitedTools).pipe(Layer.provide(candlesAlone))))))

it.effect("returns the same number of candles on the hour from a lagging source", () =>
  Effect.gen(function*() {
    const midnight = Math.floor(now / dayMs) * dayMs
    yield* TestClock.setTime(midnight + 1_000)
    for (const tf of ["1h", "1d"] as const) {
      for (const bars of [1, 2]) {
        const { candles } = yield* callTool(getPriceHistory, { coin: "BTC", tf, bars })
        const newest = midnight - 2 * durationMs[tf]
        const times = [newest - durationMs[tf], newest].slice(-bars)
        assert.deepStrictEqual(candles.map(({ time }) => Date.parse(time)), times)
      }
    }
  }).pipe(Effect.provide(layerToolCaller(Toolbox.layer(limitedTools).pipe(Layer.provide(candlesOf(2_000)))))))

it.effect("derives the score and the fear and greed index from candles if no other data exists", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const score = yield* callTool(getScore, { coin: "BTC" })
    assert.closeTo(score.coverage, 0.8, 1e-9)
    assert.strictEqual(score.source, "candles")
    const index = yield* callTool(getFearGreed, {})
    assert.isBelow(index.coverage, 1)
    assert.isAtMost(Date.parse(index.as_of), Math.floor(now / dayMs) * dayMs)
  }).pipe(Effect.provide(layerToolCaller(
    Toolbox.layer(pickTools(tools, ["get_score", "get_fear_greed"])).pipe(
      Layer.provide(DerivedStore.layer),
      Layer.provide([candlesAlone, CoinDerivatives.layerNone, SocialFeed.layerNone])
    )
  ))))
