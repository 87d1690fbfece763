import { assert, it } from "@effect/vitest"
import type { SourceFailure } from "@tapeline/core/engine"
import {
  CoinDerivatives,
  CoinPrices,
  dayMs,
  EquityMarkets,
  hourMs,
  ImpliedVolatilities,
  MacroCalendar,
  type MarketPorts,
  type MarketRead,
  minuteMs,
  NewsFeed,
  OptionsVenue,
  OrderBooks,
  readValue,
  SocialFeed,
  type SourceUnavailable
} from "@tapeline/core/market"
import { MemoryMarketStore } from "@tapeline/testing"
import {
  feedPath,
  makeBinanceFutures,
  makeBinanceLiquidations,
  makeBinanceSpot,
  makeBybitLiquidations,
  makeBybitMarket,
  makeDeribit,
  makeFakeServer,
  makeJetstream,
  makeNewsPublishers,
  makeOkxLiquidations,
  makeOkxMarket
} from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerLiveMarket, MarketHealth, type MarketReport, trackedCoins } from "../../src/index.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"
import { allUrlsAt } from "../support/sourceUrls.ts"
import { advanceUntil } from "../support/until.ts"

const start = Date.parse("2026-11-20T12:31:17.000Z")
const ports = portsOfFewCoins
const prices = Context.get(ports, CoinPrices)
const derivatives = Context.get(ports, CoinDerivatives)

const faultOf = (read: MarketRead<unknown>) =>
  Effect.map(Effect.flip(read), (error): SourceUnavailable => {
    if (error._tag !== "SourceUnavailable") return assert.fail(`${error._tag}: ${error.message}`)
    return error
  })

type Wire = Effect.Success<ReturnType<typeof makeFakeServer>>

const liveOver = (
  { bybit, futures, network, news, okx, options, spot }: Record<
    "bybit" | "futures" | "network" | "news" | "okx" | "options" | "spot",
    Wire
  >
) =>
  layerLiveMarket({
    urls: {
      ...allUrlsAt("http://127.0.0.1:9"),
      binanceSpot: spot.url,
      binanceFutures: futures.url,
      binanceStreams: futures.url.replace("http", "ws"),
      bybit: bybit.url,
      bybitStreams: bybit.url.replace("http", "ws"),
      okx: okx.url,
      okxStreams: okx.url.replace("http", "ws"),
      blueskyStreams: network.url.replace("http", "ws"),
      deribit: options.url,
      deribitHistory: options.url
    },
    coins: trackedCoins.filter(({ coin }) => coin === "BTC"),
    newsFeeds: [{
      name: "paper",
      publisher: "Harbour Wire",
      language: "en",
      url: `${news.url}${feedPath("Harbour Wire")}`
    }],
    candleDays: 2,
    priceDays: 1,
    derivativeDays: 1
  }).pipe(Layer.provide(MemoryMarketStore))

type LiveServices = Context.Context<MarketPorts | MarketHealth>

const hours = { from: start - dayMs, to: start, stepMs: hourMs }

/** Returns reads of stored data, each with the name of the source that provides the data. */
const readsOf = (context: LiveServices): ReadonlyArray<readonly [source: string, read: MarketRead<unknown>]> => {
  const storedPrices = Context.get(context, CoinPrices)
  return [
    ["binance", storedPrices.ticker("BTC")],
    ["binance", storedPrices.coins],
    ["binance", storedPrices.tickers],
    ["binance", storedPrices.candleRange({ coin: "BTC", timeframe: "1h", from: start - dayMs, to: start })],
    ["binance", storedPrices.watermarks(["BTC"])],
    ["binance", Context.get(context, OrderBooks).orderBook("BTC")],
    ["binance", Context.get(context, CoinDerivatives).perpetual("BTC")],
    ["bluesky", Context.get(context, SocialFeed).posts({ coin: "BTC", from: start - dayMs, to: start })],
    ["bluesky", Context.get(context, SocialFeed).activity({ coin: "BTC", ...hours })],
    ["bluesky", Context.get(context, SocialFeed).activityByCoin(hours)],
    ["news of paper", Context.get(context, NewsFeed).articles({ from: start - 9 * dayMs, to: start })],
    ["deribit", Context.get(context, ImpliedVolatilities).history({ coin: "BTC", maturityDays: 30, days: 2 })]
  ]
}

const served = (name: string): boolean => /^(binance|bybit|okx|deribit)(\/|$)/u.test(name) && name !== "deribit/history"

/** Returns whether the collectors have collected all data of their first ticks. */
const isWhole = ({ collectorsBySource }: MarketReport): boolean =>
  collectorsBySource.filter(({ source }) => served(source)).every(({ collectors }) =>
    collectors.every(({ name, completeAt }) =>
      completeAt !== null || name === "perpetuals" || name.startsWith("implied")
    )
  )

const expectFaults = (
  reads: ReturnType<typeof readsOf>,
  expected: { readonly failure: SourceFailure; readonly retryable?: boolean },
  reported?: string
) =>
  Effect.forEach(reads, ([source, read]) =>
    Effect.map(faultOf(read), (fault) => {
      assert.deepInclude(fault, { source, ...expected })
      if (reported !== undefined) assert.strictEqual(fault.toolFailure.failure, reported)
    }))

it.effect(
  "names unreachable sources at every port without a network, and answers once it returns",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const spot = yield* makeFakeServer(makeBinanceSpot(prices, Context.get(ports, OrderBooks)))
      const futures = yield* makeFakeServer(
        makeBinanceFutures({ derivatives, prices }),
        makeBinanceLiquidations(derivatives)
      )
      const [venue, volatilities] = [Context.get(ports, OptionsVenue), Context.get(ports, ImpliedVolatilities)]
      const options = yield* makeFakeServer(makeDeribit({ options: venue, volatilities, derivatives }))
      const bybit = yield* makeFakeServer(makeBybitMarket({ derivatives, prices }), makeBybitLiquidations(derivatives))
      const okx = yield* makeFakeServer(makeOkxMarket({ derivatives, prices }), makeOkxLiquidations(derivatives))
      const news = yield* makeFakeServer(makeNewsPublishers(Context.get(ports, NewsFeed)))
      const network = yield* makeFakeServer(
        () => Effect.succeed(null),
        makeJetstream({ social: Context.get(ports, SocialFeed), coins: ["BTC"] })
      )
      const servers = { spot, futures, bybit, okx, options, news, network }
      for (const server of Object.values(servers)) server.fail({ _tag: "reset" })
      const context = yield* Layer.build(liveOver(servers))
      const reads = readsOf(context)
      // Reads of stored data do not wait, so the test clock need not advance.
      yield* expectFaults(reads, { failure: "unreachable", retryable: true })
      // A read of a coin that is not collected fails as unknown, whichever source is unavailable.
      assert.strictEqual((yield* Effect.flip(Context.get(context, CoinPrices).ticker("NOPE")))._tag, "UnknownSymbol")
      const days = yield* Effect.flip(
        Context.get(context, SocialFeed).activity({ coin: "BTC", ...hours, stepMs: dayMs })
      )
      assert.strictEqual(days._tag, "UnknownSymbol")
      const stocksFault = yield* faultOf(Context.get(context, EquityMarkets).stocks("US"))
      assert.strictEqual(stocksFault.failure, "not_configured")

      const yields = yield* faultOf(Context.get(context, MacroCalendar).yieldCurve("KR"))
      assert.deepStrictEqual([yields.failure, yields.variable], ["not_configured", "TAPELINE_ECOS_KEY"])

      const { report } = Context.get(context, MarketHealth)
      const isEach = (matches: (state: string) => boolean) =>
        Effect.map(
          report,
          ({ sources }) => sources.every(({ source, state }) => !served(source) || matches(state))
        )
      yield* advanceUntil("all sources fail", isEach((state) => state === "failing"))
      yield* expectFaults(reads, { failure: "unreachable" }, "no_network")
      const { sources } = yield* report
      const nextOf = (name: string) => sources.find(({ source }) => source === name)?.next
      const nextTimes = ["geckoterminal", "geckoterminal/trades", "upbit", "bithumb"].map(nextOf)
      assert.deepStrictEqual(nextTimes, ["dexscreener", null, "bithumb", "upbit"])

      spot.heal()
      const { coins } = Context.get(context, CoinPrices)
      yield* advanceUntil("one venue is there", Effect.isSuccess(coins))
      const venueAway = yield* faultOf(Context.get(context, OptionsVenue).chain({ coin: "BTC" }))
      assert.deepInclude(venueAway.toolFailure, { source: "deribit", failure: "unreachable" })

      for (const server of Object.values(servers)) server.heal()
      yield* advanceUntil("all sources are up", isEach((state) => state === "up"))
      yield* advanceUntil("everything is collected", Effect.map(report, isWhole))
      const query = { coin: "BTC", timeframe: "5m", from: start - dayMs, to: start - 10 * minuteMs } as const
      const storedPrices = Context.get(context, CoinPrices)
      yield* advanceUntil("facts are there", Effect.isSuccess(storedPrices.coin("BTC")))
      assert.deepStrictEqual(
        yield* readValue(storedPrices.candleRange(query)),
        yield* readValue(prices.candleRange(query))
      )
      const articles = yield* readValue(Context.get(context, NewsFeed).articles({ from: start - 9 * dayMs, to: start }))
      assert.isAbove(articles.length, 2)
      const readWatermarks = readValue(Context.get(context, SocialFeed).watermarks(["BTC"]))
      const isReceived = Effect.map(readWatermarks, (all) => (all.get("BTC")?.contiguousUntil ?? 0) > start)
      yield* advanceUntil("posts arrive", isReceived)
      assert.strictEqual((yield* Effect.flip(storedPrices.ticker("NOPE")))._tag, "UnknownSymbol")
      const chain = yield* readValue(Context.get(context, OptionsVenue).chain({ coin: "BTC" }))
      assert.isAbove(chain.expiries.length, 0)
    }).pipe(Effect.scoped),
  60_000
)
