// Tests that records do not wait for data that arrives too late.
import { assert, it } from "@effect/vitest"
import { CoinDerivatives, CoinPrices } from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { makeBybitMarket, makeFakeServer, makeOkxMarket } from "@tapeline/wire"
import { Clock, Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  BybitMarket,
  bybitPerpetualVenue,
  layerBybitMarket,
  layerCollectors,
  layerOkxMarket,
  MarketHealth,
  OkxMarket,
  okxPerpetualVenue,
  type PerpetualVenue,
  type SeriesCollector,
  SourceHealth,
  trackedCoins
} from "../../src/index.ts"
import { fiveMinutesMs, maxDelayMs } from "../../src/perpetuals/PerpetualVenue.ts"
import { sharedPorts } from "../support/sharedWorld.ts"
import { advanceUntil } from "../support/until.ts"

const now = Date.parse("2026-11-20T12:30:00.000Z")
const ports = sharedPorts
const served = { derivatives: Context.get(ports, CoinDerivatives), prices: Context.get(ports, CoinPrices) }
const coins = trackedCoins.slice(0, 20)
const names = coins.map(({ coin }) => coin)

it.effect(
  "records many coins in time, without account ratios that arrive later",
  () =>
    Effect.scoped(Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const servers = [
        yield* makeFakeServer(makeBybitMarket(served)),
        yield* makeFakeServer(makeOkxMarket(served))
      ] as const
      const layer = Layer.merge(
        layerBybitMarket({ baseUrl: servers[0].url }),
        layerOkxMarket({ baseUrl: servers[1].url })
      )
      const context = yield* Layer.build(Layer.provide(layer, SourceHealth.layer))
      const [bybit, okx] = [Context.get(context, BybitMarket), Context.get(context, OkxMarket)]
      const withDelay = <A, E>(effect: Effect.Effect<A, E>) => Effect.delay(effect, "20 seconds")
      const venues: ReadonlyArray<PerpetualVenue> = [
        bybitPerpetualVenue({ ...bybit, accountRatios: (query) => withDelay(bybit.accountRatios(query)) }, coins),
        okxPerpetualVenue({ ...okx, accountRatios: (query) => withDelay(okx.accountRatios(query)) }, coins)
      ]
      for (const venue of venues) {
        const at = Math.ceil((yield* Clock.currentTimeMillis) / fiveMinutesMs) * fiveMinutesMs
        yield* TestClock.setTime(at)
        const pendingSnapshot = yield* Effect.forkScoped(venue.snapshot(names, at))
        yield* advanceUntil(`${venue.name} answered`, Effect.sync(() => pendingSnapshot.pollUnsafe() !== undefined))
        assert.isBelow((yield* Clock.currentTimeMillis) - at, maxDelayMs, venue.name)
        const rows = Array.from((yield* Fiber.join(pendingSnapshot))?.values() ?? [])
        assert.isAbove(rows.length, 10, venue.name)
        assert.isTrue(rows.every(({ markPrice }) => markPrice !== null))
        const known = rows.filter(({ longShortRatio }) => longShortRatio !== null)
        assert.isTrue(known.length > 0 && known.length < rows.length, venue.name)
      }
    })),
  60_000
)

it.effect("reports a response after its instant as a source fault, and does not record it", () =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const slow: SeriesCollector = {
      _tag: "series",
      source: "model",
      name: "perpetuals",
      kind: pointsKinds.fxRates,
      everyMs: fiveMinutesMs,
      offsetMs: 0,
      rowTimes: "instants",
      subjects: Effect.succeed([{ subject: "AAA", from: now }]),
      snapshot: {
        maxDelayMs,
        fetch: (_, at) =>
          Effect.delay(
            Effect.succeed([{ subject: "AAA", source: "model", rows: [{ time: at, rate: 1 }] }]),
            maxDelayMs + 1_000
          )
      }
    }
    const context = yield* Layer.build(
      layerCollectors([slow], { holder: "slow" }).pipe(
        Layer.provideMerge(MarketHealth.layer),
        Layer.provide(SourceHealth.layer)
      )
    )
    yield* TestClock.adjust("20 minutes")
    const report = yield* Context.get(context, MarketHealth).report
    const fault = report.collectorsBySource[0]?.collectors[0]?.lastFault
    assert.strictEqual(fault?.failure, "unreachable")
    assert.match(fault?.reason ?? "", /arrived 61 s after its time/)
    const store = yield* MarketStore
    const query = { kind: pointsKinds.fxRates, subjects: ["AAA"], from: now, to: now + 30 * fiveMinutesMs }
    assert.deepStrictEqual((yield* store.points(query)).get("AAA")?.points ?? [], [])
  })).pipe(Effect.provide(MemoryMarketStore)))
