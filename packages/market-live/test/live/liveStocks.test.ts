import { assert, it } from "@effect/vitest"
import { EquityMarkets, ExchangeRates, readValue, StoredEquities } from "@tapeline/core/market"
import { MemoryMarketStore } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { AutoAdvancingClock, makeFakeServer, makeYahoo, makeYahooAuth } from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerLiveMarket, layerYahoo, MarketHealth, SourceHealth } from "../../src/index.ts"
import { countOf } from "../../src/live/Probe.ts"
import { yahooProbes } from "../../src/live/stocks.ts"
import { sharedPorts } from "../support/sharedWorld.ts"
import { allUrlsAt } from "../support/sourceUrls.ts"
import { advanceUntil } from "../support/until.ts"

const start = Date.parse("2026-11-20T15:33:20Z")
const ports = sharedPorts
const equities = Context.get(ports, EquityMarkets)

it.effect.runIf(isFullRun)(
  "returns and collects stocks if the operator declares personal use",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const yahooAuth = makeYahooAuth()
      const storedEquities = Context.get(ports, StoredEquities)
      const data = makeYahoo({ equities, rates: Context.get(ports, ExchangeRates), stored: storedEquities }, yahooAuth)
      // An index needs prices of years, which take seconds to compute, so the server returns no prices of an index.
      const isOfIndex = (path: string) => decodeURIComponent(path).includes("/^")
      const server = yield* makeFakeServer((request) =>
        Effect.flatMap(yahooAuth.handleRequest(request), (page) =>
          page !== null || isOfIndex(request.path) ? Effect.succeed(page) : data(request))
      )
      const live = yield* Layer.build(layerLiveMarket({
        urls: { ...allUrlsAt("http://127.0.0.1:9"), yahoo: server.url, yahooSite: server.url },
        yahoo: "personal",
        stocks: { US: ["AAPL"], KR: [] },
        coins: [],
        // The test clock runs faster than the server responds, so the timeouts are long.
        retryPolicy: { timeoutMs: 3_600_000, callTimeoutMs: 7_200_000 }
      }))
      const quotes = Context.get(live, StoredEquities).quotes("US")
      const isQuoted = Effect.map(
        Effect.result(quotes),
        (result) =>
          result._tag === "Success" && result.success.value.length > 0
      )
      yield* advanceUntil("quotes", isQuoted)
      assert.deepStrictEqual((yield* readValue(quotes)).map(({ symbol }) => symbol), ["AAPL"])
      const quote = yield* readValue(Context.get(live, EquityMarkets).quote("AAPL"))
      assert.deepStrictEqual([quote.symbol, quote.session], ["AAPL", "regular"])
      const rate = Context.get(live, ExchangeRates).rate({ pair: "usd_krw" })
      yield* advanceUntil("rates", Effect.map(Effect.result(rate), (result) => result._tag === "Success"))
      assert.deepStrictEqual((yield* rate).sources, ["yahoo"])
      const { sources } = yield* Context.get(live, MarketHealth).report
      assert.strictEqual(sources.find(({ source }) => source === "yahoo")!.state, "up")
    }).pipe(Effect.provide(MemoryMarketStore), Effect.scoped),
  300_000
)

it.live("probes every request of Yahoo, and none if Yahoo is not set up", () =>
  Effect.scoped(Effect.gen(function*() {
    const yahooAuth = makeYahooAuth()
    const storedEquities = Context.get(ports, StoredEquities)
    const data = makeYahoo({ equities, rates: Context.get(ports, ExchangeRates), stored: storedEquities }, yahooAuth)
    const { url } = yield* makeFakeServer((request) =>
      Effect.flatMap(yahooAuth.handleRequest(request), (page) => page === null ? data(request) : Effect.succeed(page))
    )
    const source = Layer.provide(layerYahoo({ baseUrl: url, siteUrl: url }), SourceHealth.layer)
    const probes = yield* Effect.provideContext(yahooProbes, yield* Layer.build(source))
    const counts = yield* Effect.forEach(
      probes,
      ({ fetch, label }) => Effect.map(fetch, (count) => [label, countOf(count) ?? 0] as const)
    )
    const dataKinds = ["15-minute bars", "options", "analysts", "earnings"]
    assert.deepStrictEqual(counts.map(([dataKind]) => dataKind), dataKinds)
    assert.isTrue(counts.every(([, count]) => count > 0))
    assert.deepStrictEqual(yield* yahooProbes, [])
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(start, [10_000, 25_000]))))
