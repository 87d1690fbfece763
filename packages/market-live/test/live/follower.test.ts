import { assert, it } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  ImpliedVolatilities,
  type MarketRead,
  minuteMs,
  OptionsVenue,
  SourceUnavailable
} from "@tapeline/core/market"
import { MarketStore } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { makeDeribit, makeFakeServer } from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerLiveMarket, MarketHealth, trackedCoins } from "../../src/index.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"
import { allUrlsAt } from "../support/sourceUrls.ts"
import { advanceUntil } from "../support/until.ts"

const start = Date.parse("2026-11-20T12:31:17.000Z")
const ports = portsOfFewCoins

/** Starts a process over a shared store, whose sources except Deribit refuse connections. */
const process = (store: MarketStore["Service"], holder: string, options: string) =>
  layerLiveMarket({
    urls: { ...allUrlsAt("http://127.0.0.1:9"), deribit: options, deribitHistory: options },
    coins: trackedCoins.filter(({ coin }) => coin === "BTC"),
    newsFeeds: [],
    collect: { holder }
  }).pipe(Layer.provide(Layer.succeed(MarketStore, store)))

const faultOf = (read: MarketRead<unknown>) =>
  Effect.map(
    Effect.flip(read),
    (error) => error instanceof SourceUnavailable ? `${error.source} ${error.failure}` : error._tag
  )

it.effect.runIf(isFullRun)(
  "names in a follower the source that its leader cannot reach, until the leader can",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const store = Context.get(yield* Layer.build(MemoryMarketStore), MarketStore)
      const [venue, volatilities] = [Context.get(ports, ImpliedVolatilities), makeDeribit]
      const server = yield* makeFakeServer(volatilities({
        options: Context.get(ports, OptionsVenue),
        volatilities: venue,
        derivatives: Context.get(ports, CoinDerivatives)
      }))
      server.fail({ _tag: "reset" })
      const one = yield* Layer.build(process(store, "one", server.url))
      const { report } = Context.get(one, MarketHealth)
      yield* advanceUntil(
        "all sources fail",
        Effect.map(report, ({ sources }) =>
          sources.filter(({ source }) =>
            /^(binance\/spot|bybit\/market|okx\/market|deribit)$/u.test(source)
          ).every(
            ({ state }) => state === "failing"
          ))
      )
      const two = yield* Layer.build(process(store, "two", server.url))
      const followerReport = Context.get(two, MarketHealth).report
      yield* advanceUntil(
        "the second one follows",
        Effect.map(followerReport, ({ collectorsBySource }) =>
          collectorsBySource.filter(({ lead }) =>
            lead === "follows"
          ).length >= 5)
      )
      yield* TestClock.adjust(minuteMs / 4)
      const { sources } = yield* followerReport
      assert.strictEqual(sources.find(({ source }) => source === "deribit")?.state, "unknown")
      const reads = [
        Context.get(two, CoinPrices).coins,
        Context.get(two, ImpliedVolatilities).history({ coin: "BTC", maturityDays: 30, days: 2 })
      ]
      const faults = yield* Effect.forEach(reads, faultOf)
      assert.deepStrictEqual(faults, ["binance unreachable", "deribit unreachable"])
      server.heal()
      yield* advanceUntil(
        "Deribit is up",
        Effect.map(report, ({ sources }) => sources.some(({ source, state }) => source === "deribit" && state === "up"))
      )
      yield* TestClock.adjust(minuteMs)
      assert.notInclude(yield* Effect.forEach(reads.slice(1), faultOf), "deribit unreachable")
    }).pipe(Effect.scoped),
  60_000
)
