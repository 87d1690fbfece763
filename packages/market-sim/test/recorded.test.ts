import { assert, describe, it } from "@effect/vitest"
import {
  type Candle,
  CoinPrices,
  dayMs,
  hourMs,
  mapReading,
  readValue,
  type WatermarkRead
} from "@tapeline/core/market"
import { layerDefectiveMarket } from "@tapeline/testing"
import { assertRevisionStability } from "@tapeline/testing/contracts/recordedChecks"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { SimMarket } from "../src/index.ts"
import { Posts } from "../src/social/Posts.ts"
import { makeWorld, worldVersion } from "../src/world.ts"
import { defects, laterTimes, layerCompleteMarket, layerGappyMarket, now, openOutage } from "./support/markets.ts"

const hours = (prices: CoinPrices["Service"], until: number) =>
  Effect.map(
    readValue(prices.candleRange({ coin: "ETH", timeframe: "1h", from: until - 40 * hourMs, to: until - hourMs + 1 })),
    (candles): ReadonlyArray<Candle> => candles
  )

/** Returns whether a venue with the given watermarks passes the contract's check of revisions. */
const passesCheck = (recordedOf: (prices: CoinPrices["Service"]) => WatermarkRead) =>
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const check = assertRevisionStability(recordedOf(prices), (_, until) => hours(prices, until), ["ETH"], {
      now,
      laterTimes
    })
    return (yield* Effect.exit(check))._tag === "Success"
  }).pipe(Effect.provide(layerGappyMarket))

describe("watermarks and revisions", () => {
  it.effect("the check fails for a venue that backfills without a new revision", () =>
    Effect.gen(function*() {
      assert.isTrue(yield* passesCheck(({ watermarks }) => watermarks))
      const readConstantRevision = (prices: CoinPrices["Service"]): WatermarkRead => (coins) =>
        Effect.map(prices.watermarks(coins), (read) =>
          mapReading(read, (all) =>
            new Map([...all].map(([coin, one]) => [coin, { ...one, revision: "always" }]))))
      assert.isFalse(yield* passesCheck(readConstantRevision))
    }))

  it.effect("an expected backfill holds the watermark back; an unexpected one needs a new revision", () => {
    const lateFilledOutage = { ...openOutage, filledAt: now + 8 * hourMs }
    const read = (isExpected: boolean) =>
      Effect.gen(function*() {
        const { watermarks } = yield* CoinPrices
        const at = (time: number) =>
          Effect.map(
            Effect.andThen(TestClock.setTime(time), readValue(watermarks(["ETH"]))),
            (records) => records.get("ETH")!
          )
        return [yield* at(now), yield* at(lateFilledOutage.filledAt)] as const
      }).pipe(
        Effect.provide(
          layerDefectiveMarket({ ...defects, filledOutages: [{ ...lateFilledOutage, isExpected }] }).pipe(
            Layer.provide(layerCompleteMarket)
          )
        )
      )
    return Effect.gen(function*() {
      const [before, after] = yield* read(true)
      assert.strictEqual(before.contiguousUntil, lateFilledOutage.from)
      assert.strictEqual(after.contiguousUntil, lateFilledOutage.filledAt)
      assert.strictEqual(after.revision, before.revision)
      const [beforeFill, afterFill] = yield* read(false)
      assert.strictEqual(beforeFill.contiguousUntil, now)
      assert.notStrictEqual(afterFill.revision, beforeFill.revision)
    })
  })

  // Derived data is stored under the version of the world. If the same seed gives other numbers, the version must
  // change.
  it("the world version changes when the numbers of a world change", () => {
    const world = makeWorld("numbers")
    const posts = new Posts(world)
    const market = world.coin("SOL")!
    const day = Date.parse("2026-11-18")
    const numbers = [
      market.candles("1h", day, day + 2 * dayMs, now),
      market.candles("1d", day - 9 * dayMs, day, now),
      [0, 8, 16].map((hour) => world.derivatives.point(market, day + hour * hourMs)),
      world.derivatives.fundingPayments(market, day - 3 * dayMs, day),
      posts.getActivity(market, day, day + dayMs)
    ]
    const text = JSON.stringify(
      numbers,
      (_, one: unknown) => typeof one === "number" ? Number(one.toPrecision(9)) : one
    )
    const digest = createHash("sha256").update(text).digest("hex").slice(0, 16)
    assert.deepStrictEqual({ version: worldVersion, digest }, { version: 5, digest: "dae0ae9bc5227792" })
  })

  it.effect("each seed of the simulated market has its own revision", () =>
    Effect.gen(function*() {
      const revisionOf = (seed: number | string) =>
        Effect.flatMap(CoinPrices, ({ watermarks }) =>
          Effect.map(watermarks(["BTC"]), ({ value }) => value.get("BTC")!.revision)).pipe(
            Effect.provide(SimMarket.layer({ seed }))
          )
      yield* TestClock.setTime(now)
      const seeds = [1, 2, "1", "patchy"]
      const revisions = yield* Effect.forEach(seeds, revisionOf)
      assert.strictEqual(new Set(revisions).size, seeds.length)
    }))
})
