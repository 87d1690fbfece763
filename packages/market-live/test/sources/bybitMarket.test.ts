import { assert, it } from "@effect/vitest"
import { CoinDerivatives, CoinPrices, dayMs, hourMs, type SourceUnavailable } from "@tapeline/core/market"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { bybitMarket, HurriedClock, makeWireServer, type WireServer } from "@tapeline/wire"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { BybitMarket, layerBybitMarket, SourceHealth } from "../../src/index.ts"
import { faultSuite } from "../support/faultSuite.ts"

const now = Date.parse("2026-11-20T12:33:21.500Z")
const all = SimMarket.portsOf(makeWorld("bybit"))
const derivatives = Context.get(all, CoinDerivatives)
const prices = Context.get(all, CoinPrices)
const ports = { derivatives, prices }

const symbol = "BTCUSDT"
const contract = { symbol, unit: 1 }
const day = { from: now - dayMs, to: now }
const hours = { from: now - 2 * hourMs, to: now + 1 }
const ask = <A, E>(f: (market: BybitMarket["Service"]) => Effect.Effect<A, E>) => Effect.flatMap(BybitMarket, f)

faultSuite<BybitMarket>({
  source: "bybit",
  speaks: bybitMarket(ports),
  now,
  layer: (baseUrl, patience) => layerBybitMarket({ baseUrl, patience }),
  requests: [
    { name: "candles", ask: ask((market) => market.candles({ symbol, ...hours })) },
    { name: "marks", ask: ask((market) => market.marks([contract])) },
    { name: "funding payments", ask: ask((market) => market.fundingPrints({ contract, ...day, hoursNow: 8 })) },
    { name: "open interest", ask: ask((market) => market.openInterestHistory({ contract, ...hours })) },
    { name: "account ratios", ask: ask((market) => market.accountRatios({ contract, ...hours })) }
  ],
  errorsInBody: {
    "too many visits": [{ retCode: 10006, retMsg: "Too many visits!", result: {}, time: now }, "rate_limited"],
    "a banned address": [{ retCode: 10009, retMsg: "IP has been banned.", result: {}, time: now }, "rate_limited"],
    "a restricted place": [{ retCode: 10024, retMsg: "Compliance rules", result: {}, time: now }, "blocked"],
    "an internal error": [{ retCode: 10016, retMsg: "Internal System Error.", result: {}, time: now }, "unreachable"],
    "a request that it does not take": [{ retCode: 10001, retMsg: "params error", result: {}, time: now }, "malformed"]
  }
})

const overWire = <A>(
  use: (market: BybitMarket["Service"], server: WireServer) => Effect.Effect<A, SourceUnavailable, Scope.Scope>
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeWireServer(bybitMarket(ports))
    const layer = Layer.provide(layerBybitMarket({ baseUrl: server.url }), SourceHealth.layer)
    return yield* use(Context.get(yield* Layer.build(layer), BybitMarket), server)
  })).pipe(Effect.provideService(Clock.Clock, new HurriedClock(now, [10_000, 25_000])))

it.live("tells series as the market behind the wire has them, and what it lacks as null", () =>
  overWire((market) =>
    Effect.gen(function*() {
      const asked = { coin: "BTC", timeframe: "5m", ...hours } as const
      const { value: candles } = yield* Effect.orDie(prices.candleRange(asked))
      assert.isFalse(candles.at(-1)!.closed)
      assert.deepStrictEqual(
        (yield* market.candles({ symbol, ...hours })).value,
        candles.map((candle) => ({ ...candle, takerBuyVolume: null }))
      )
      assert.isNull((yield* market.candles({ symbol: "NOPEUSDT", ...hours })).value)

      const { value: prints } = yield* Effect.orDie(derivatives.fundingPrints({ coin: "BTC", ...day }))
      assert.deepStrictEqual((yield* market.fundingPrints({ contract, ...day, hoursNow: 8 })).value, prints)

      const { value: { points } } = yield* Effect.orDie(
        derivatives.perpetualHistory({ coin: "BTC", ...hours, stepMs: 300_000 })
      )
      assert.deepStrictEqual(
        (yield* market.openInterestHistory({ contract, ...hours })).value,
        points.map(({ openInterest, time }) => ({ time, openInterest: openInterest! }))
      )
      const { value: ratios } = yield* market.accountRatios({ contract, ...hours })
      assert.deepStrictEqual(ratios.map(({ time }) => time), points.map(({ time }) => time))
      ratios.forEach(({ longShortRatio }, i) => assert.closeTo(longShortRatio, points[i]!.longShortRatio!, 1e-9))
    })
  ))

it.live("tells what is now as the market behind the wire has it", () =>
  overWire((market) =>
    Effect.gen(function*() {
      const { value: point } = yield* Effect.orDie(derivatives.perpetual("BTC"))
      const { value: fundings } = yield* Effect.orDie(derivatives.fundingByVenue("BTC"))
      const { value: interests } = yield* Effect.orDie(derivatives.openInterestByVenue("BTC"))
      const funding = fundings.find(({ venue }) => venue === "bybit")!
      const interest = interests.find(({ venue }) => venue === "bybit")!
      assert.deepStrictEqual((yield* market.marks([contract, { symbol: "NOPEUSDT", unit: 1 }])).value, [{
        contract,
        time: now,
        markPrice: point.markPrice!,
        indexPrice: point.indexPrice,
        fundingRate: funding.fundingRate,
        intervalHours: funding.intervalHours,
        nextFundingAt: funding.nextFundingAt,
        openInterest: interest.openInterest,
        openInterestUsd: interest.openInterestUsd
      }])
    })
  ))

it.live("asks for no more than one answer holds, whose newest rows are told", () =>
  overWire((market, server) =>
    Effect.gen(function*() {
      const from = now - 30 * dayMs
      const first = Math.ceil(from / 300_000) * 300_000
      const { value: interest } = yield* market.openInterestHistory({ contract, from, to: now })
      const { value: ratios } = yield* market.accountRatios({ contract, from, to: now })
      const { value: candles } = yield* market.candles({ symbol, from, to: now })
      assert.deepStrictEqual([interest.length, ratios.length, candles!.length], [200, 500, 1_000])
      for (const series of [interest, ratios, candles!]) assert.strictEqual(series[0]!.time, first)
      assert.deepStrictEqual(server.requests.map(({ path }) => path), [
        "/v5/market/open-interest",
        "/v5/market/account-ratio",
        "/v5/market/kline"
      ])
    })
  ))
