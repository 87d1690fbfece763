import { assert, it } from "@effect/vitest"
import { CoinPrices, hourMs, mapReading, minuteMs, pickTools, Toolbox, tools } from "@tapeline/core"
import { getLiquidationMap } from "@tapeline/core/specifications"
import { Effect, Layer } from "effect"
import { call, engineOf } from "./call.ts"
import { fakeMarket, now } from "./market.ts"

const withMap = engineOf(Toolbox.layer(pickTools(tools, ["get_liquidation_map"])))
const hour = Math.floor(now / hourMs) * hourMs

/** The running hour has no candle; its prices fell by 6 % within one minute, and rose again. */
const fallen = () => {
  const fixture = fakeMarket({ lagMs: () => 0 })
  const spiked = Layer.effect(
    CoinPrices,
    Effect.map(CoinPrices, (prices) => ({
      ...prices,
      minutes: (query: Parameters<typeof prices.minutes>[0]) =>
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
  )
  return { ...fixture, layer: spiked.pipe(Layer.provideMerge(fixture.layer)) }
}

it.effect("clears levels that a price of the running hour crossed, although the hour has no candle", () =>
  Effect.gen(function*() {
    const longs = Effect.gen(function*() {
      const { levels, nearest_below, price } = yield* call(getLiquidationMap, { coin: "SOL" })
      assert.isAbove(levels.length, 10)
      return { price, nearest: nearest_below!.price, all: levels.filter(({ side }) => side === "long") }
    })
    const before = yield* withMap(longs, { market: fakeMarket({ lagMs: () => 0 }) })
    assert.isAbove(before.nearest, 0.97 * before.price)
    const after = yield* withMap(longs, { market: fallen() })
    assert.isBelow(after.nearest, 0.945 * after.price)
    // Levels further away stand as before; now the list has room for more of them.
    const far = before.all.filter((level) => level.price < 0.93 * before.price)
    assert.isAbove(far.length, 3)
    assert.includeDeepMembers(after.all, far)
  }))
