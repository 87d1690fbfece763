import { assert, it } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  dayMs,
  hourMs,
  ImpliedVolatilities,
  OptionsVenue,
  SocialFeed
} from "@tapeline/core/market"
import { SimMarket } from "@tapeline/market-sim"
import { coinDerivativesContract } from "@tapeline/testing/contracts/coinDerivatives"
import { coinPricesContract } from "@tapeline/testing/contracts/coinPrices"
import { impliedVolatilitiesContract } from "@tapeline/testing/contracts/impliedVolatilities"
import { optionsVenueContract } from "@tapeline/testing/contracts/optionsVenue"
import { socialFeedContract } from "@tapeline/testing/contracts/socialFeed"
import { waive } from "@tapeline/testing/contracts/waiver"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerComputePool } from "../src/compute/layerComputePool.ts"
import { layerSimulatedMarket, simulatedReadsModule } from "../src/market/layerSimulatedMarket.ts"

const seed = 7
const to = Date.parse("2026-11-01T00:00:00Z")
const read = Effect.gen(function*() {
  const prices = yield* CoinPrices
  const derivatives = yield* CoinDerivatives
  const social = yield* SocialFeed
  const options = yield* OptionsVenue
  const volatilities = yield* ImpliedVolatilities
  const from = to - 40 * dayMs
  return yield* Effect.all({
    candles: prices.candleRange({ coin: "BTC", timeframe: "1h", from, to }),
    perpetual: derivatives.perpetualHistory({ coin: "BTC", from, to, stepMs: 8 * hourMs }),
    takers: derivatives.takerFlow({ coin: "SOL", from: to - 2 * dayMs, to, stepMs: hourMs }),
    liquidations: derivatives.liquidations({
      coin: "BTC",
      from,
      to,
      minSizeUsd: 10_000,
      limit: 50,
      stepMs: 7 * hourMs
    }),
    social: social.activity({ coin: "PEPE", from, to, stepMs: hourMs }),
    few: prices.candleRange({ coin: "BTC", timeframe: "1h", from: to - dayMs, to }),
    unknown: Effect.flip(prices.candleRange({ coin: "NOSUCH", timeframe: "1h", from, to })),
    trades: options.trades({ coin: "SOL", from: to - dayMs, to, limit: 50 }),
    volatility: volatilities.history({ coin: "BTC", maturityDays: 14, days: 90 }),
    withoutOptions: Effect.flip(options.trades({ coin: "DOGE", from, to })),
    none: Effect.flip(derivatives.perpetualHistory({ coin: "USDT", from, to, stepMs: 8 * hourMs }))
  })
})
const direct = Effect.provide(read, SimMarket.layer({ seed }))

it.live.runIf(isFullRun)(
  "the simulated market returns the same values and failures from worker threads",
  () =>
    Effect.gen(function*() {
      const pool = layerComputePool({ workers: 1, modules: [simulatedReadsModule] })
      assert.deepStrictEqual(
        yield* Effect.provide(read, layerSimulatedMarket(seed).pipe(Layer.provide(pool))),
        yield* direct
      )
    })
)

it.live("a full compute queue makes a read fail as a retryable unavailable source", () =>
  Effect.gen(function*() {
    const busy = layerComputePool({ workers: 1, maxQueuedJobs: -1, modules: [simulatedReadsModule] })
    const long = { coin: "BTC", timeframe: "1h", from: to - 40 * dayMs, to } as const
    const rangeError = yield* Effect.flatMap(CoinPrices, (prices) => Effect.flip(prices.candleRange(long))).pipe(
      Effect.provide(layerSimulatedMarket(seed).pipe(Layer.provide(busy)))
    )
    assert(rangeError._tag === "SourceUnavailable")
    assert.deepStrictEqual([rangeError.failure, rangeError.retryable], ["rate_limited", true])
  }))

const simulated = layerSimulatedMarket(seed)
const now = Date.parse("2026-11-20T15:33:22.517Z")
const computed = waive("its past is computed")
const outage = waive("it has no outages")
coinPricesContract("the simulated market of the server", simulated, {
  now,
  coins: ["BTC"],
  delisted: waive("no coin is delisted"),
  outage,
  backfill: computed,
  takerless: waive("it always reports the taker's side")
})
coinDerivativesContract("the simulated market of the server", simulated, {
  now,
  coins: ["ETH"],
  stablecoin: "USDT",
  coverage: "whole",
  sameVenues: true,
  outage,
  backfill: computed
})
socialFeedContract("the simulated market of the server", simulated, {
  now,
  coin: "DOGE",
  outage,
  backfill: computed
})

optionsVenueContract("the simulated market of the server", simulated, { now, coin: "ETH", coinWithoutOptions: "DOGE" })
impliedVolatilitiesContract("the simulated market of the server", simulated, {
  now,
  coin: "SOL",
  maturityDays: 14,
  coinWithoutOptions: "DOGE",
  longerMaturity: { maturityDays: 60 },
  chain: waive("the simulated market's own tests compare them")
})

it.live("the simulated market returns the same values and failures from this thread", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* Effect.provide(read, layerSimulatedMarket(seed)), yield* direct)
  }))

for (
  const [location, compute] of [
    ["this thread", Layer.empty],
    ["a worker thread", layerComputePool({ workers: 1, modules: [simulatedReadsModule] })]
  ] as const
) {
  it.effect(`a long read ends at the current time of its caller: ${location}`, () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2024-01-10T00:30:00Z"))
      const now = yield* Clock.currentTimeMillis
      const readLongRange = Effect.flatMap(CoinPrices, (prices) =>
        prices.candleRange({ coin: "BTC", timeframe: "1h", from: now - 300 * hourMs, to: now + 100 * hourMs }))
      const candles = yield* readLongRange
      assert.strictEqual(candles.asOf, now)
      assert.deepStrictEqual(
        candles,
        yield* Effect.provide(readLongRange, SimMarket.layer({ seed }))
      )
    }).pipe(Effect.provide(layerSimulatedMarket(seed).pipe(Layer.provide(compute)))))
}
