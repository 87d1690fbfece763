import { assert, it } from "@effect/vitest"
import { CoinPrices, hourMs, mapReading, minuteMs, pickTools, Toolbox, tools } from "@tapeline/core"
import { getLiquidationMap } from "@tapeline/core/specifications"
import { callTool } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { makeFakeMarket, now } from "./fakeMarket.ts"
import { makeRunOnEngine } from "./runOnEngine.ts"

const withMap = makeRunOnEngine(Toolbox.layer(pickTools(tools, ["get_liquidation_map"])))
const hour = Math.floor(now / hourMs) * hourMs

/** The test market with changed price reads. In this market, the current hour has no candle. */
const marketWith = (change: (prices: CoinPrices["Service"]) => Partial<CoinPrices["Service"]>) => {
  const fixture = makeFakeMarket({ lagMs: () => 0 })
  const other = Layer.effect(CoinPrices, Effect.map(CoinPrices, (prices) => ({ ...prices, ...change(prices) })))
  return { ...fixture, layer: other.pipe(Layer.provideMerge(fixture.layer)) }
}

/** Within one minute, the price falls by 6 % and rises again. */
const fallenMinutes = marketWith((prices) => ({
  minutes: (query) =>
    Effect.map(
      prices.minutes(query),
      (read) =>
        mapReading(read, (byCoin) =>
          new Map([...byCoin].map(([coin, minutes]) => [coin, {
            ...minutes,
            points: minutes.points.map(({ price, time }) => ({
              time,
              price: time === hour + 7 * minuteMs ? 0.94 * price : price
            }))
          }])))
    )
}))

/** The low of a five-minute candle is 6 % below its open, but no minute price shows the fall. */
const fallenCandle = marketWith((prices) => ({
  candleRange: (query) =>
    query.timeframe === "5m"
      ? Effect.map(prices.candles({ ...query, bars: 2, until: hour + 10 * minuteMs }), (read) =>
        mapReading(read, ([first, second]) => [first!, { ...second!, low: 0.94 * second!.open }]))
      : prices.candleRange(query)
}))

it.effect.each<readonly [what: string, market: ReturnType<typeof makeFakeMarket>]>([
  ["price by the minute", fallenMinutes],
  ["candle of five minutes", fallenCandle]
])(
  "clears levels that only a %s of the running hour crossed, although the hour has no candle",
  ([, market]) =>
    Effect.gen(function*() {
      const readLongLevels = Effect.gen(function*() {
        const { levels, nearest_below, price } = yield* callTool(getLiquidationMap, { coin: "SOL" })
        assert.isAbove(levels.length, 10)
        return { price, nearest: nearest_below!.price, all: levels.filter(({ side }) => side === "long") }
      })
      const before = yield* withMap(readLongLevels, { market: makeFakeMarket({ lagMs: () => 0 }) })
      assert.isAbove(before.nearest, 0.97 * before.price)
      const after = yield* withMap(readLongLevels, { market })
      assert.isBelow(after.nearest, 0.945 * after.price)
      const far = before.all.filter((level) => level.price < 0.93 * before.price)
      assert.isAbove(far.length, 3)
      assert.includeDeepMembers(after.all, far)
    })
)
