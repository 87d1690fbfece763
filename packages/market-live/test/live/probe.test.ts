import { assert, it } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  EquityMarkets,
  ExchangeRates,
  ImpliedVolatilities,
  KoreanCoinMarkets,
  MacroCalendar,
  NewsFeed,
  OptionsVenue,
  OrderBooks,
  TokenMarkets
} from "@tapeline/core/market"
import { isFullRun } from "@tapeline/testing/fullRun"
import {
  feedPath,
  makeBeaSchedule,
  makeBinanceFutures,
  makeBinanceLiquidations,
  makeBinanceSpot,
  makeBithumb,
  makeBlsSchedule,
  makeBybitMarket,
  makeCoinGecko,
  makeCoinPaprika,
  makeDefiLlama,
  makeDeribit,
  makeDeribitHistory,
  makeEcb,
  makeEcos,
  makeEdgar,
  makeFakeServer,
  makeFedCalendar,
  makeNewsPublishers,
  makeOkxMarket,
  makeOpenDart,
  makeTreasuryAuctions,
  makeTreasuryYields,
  makeUpbit
} from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { probeSources, SourceHealth, trackedCoins } from "../../src/index.ts"
import { layerGovernmentSources } from "../../src/live/layerSources.ts"
import { countOf } from "../../src/live/Probe.ts"
import { governmentProbes } from "../../src/live/sourceProbes.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"
import { allUrlsAt } from "../support/sourceUrls.ts"

const now = Date.parse("2026-11-20T12:30:04.000Z")
const ports = portsOfFewCoins
const [prices, derivatives] = [Context.get(ports, CoinPrices), Context.get(ports, CoinDerivatives)]
const [options, volatilities] = [Context.get(ports, OptionsVenue), Context.get(ports, ImpliedVolatilities)]

/** Advances the clock, so that requests above a per-second rate limit can continue. */
const timePasses = Effect.forever(
  Effect.andThen(
    Effect.forEach(Array.from({ length: 10 }), () => Effect.promise(() => setImmediate()), { discard: true }),
    TestClock.adjust(50)
  )
)

it.effect(
  "sends every request of each source, and reports which responses have changed",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const spot = yield* makeFakeServer(makeBinanceSpot(prices, Context.get(ports, OrderBooks)))
      const futures = yield* makeFakeServer(
        makeBinanceFutures({ derivatives, prices }),
        makeBinanceLiquidations(derivatives)
      )
      const venue = yield* makeFakeServer(makeDeribit({ options, volatilities, derivatives }))
      const archive = yield* makeFakeServer(makeDeribitHistory(options))
      const probe = Effect.map(
        probeSources({
          urls: {
            ...allUrlsAt("http://127.0.0.1:9"),
            binanceSpot: spot.url,
            binanceFutures: futures.url,
            binanceStreams: futures.url.replace("http", "ws"),
            deribit: venue.url,
            deribitHistory: archive.url
          },
          coins: trackedCoins.filter(({ coin }) => coin === "BTC"),
          newsFeeds: [],
          retryPolicy: { maxTries: 1 }
        }),
        (all) => all.filter(({ source }) => source === "binance" || source === "deribit")
      ).pipe(Effect.raceFirst(timePasses))
      const healthyReport = yield* probe
      assert.deepStrictEqual(healthyReport.filter(({ outcome }) => outcome !== "answered"), [])
      assert.deepStrictEqual(healthyReport.filter(({ rowCount }) => rowCount === 0).map(({ label }) => label), [])
      const requestedPaths = (server: typeof spot) => new Set(server.requests.map(({ path }) => path.split("?")[0]))
      assert.deepStrictEqual([spot, futures, venue, archive].map((server) => requestedPaths(server).size), [4, 9, 3, 1])

      spot.fail({ _tag: "rewritten", rewrite: (text) => text.replaceAll(/"(\d+\.\d+)"/gu, "$1") })
      venue.fail({ _tag: "answer", status: 451, body: "not here" })
      const driftReport = yield* probe
      const outcomes = (name: string) =>
        new Set(driftReport.filter(({ source }) => source === name).map(({ outcome }) => outcome))
      assert.isTrue(outcomes("binance").has("malformed"))
      assert.isTrue(outcomes("binance").has("answered"))
      assert.isTrue(outcomes("deribit").has("blocked"))
      for (const { outcome, reason } of driftReport) if (outcome === "malformed") assert.match(reason ?? "", /\S/)
    }).pipe(Effect.scoped),
  60_000
)

it.effect.runIf(isFullRun)(
  "probes each source separately from its replacements, and reports each outcome",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const korea = Context.get(ports, KoreanCoinMarkets)
      const servers = {
        binanceSpot: yield* makeFakeServer(makeBinanceSpot(prices, Context.get(ports, OrderBooks))),
        bybit: yield* makeFakeServer(makeBybitMarket({ derivatives, prices })),
        okx: yield* makeFakeServer(makeOkxMarket({ derivatives, prices })),
        upbit: yield* makeFakeServer(makeUpbit(korea)),
        bithumb: yield* makeFakeServer(makeBithumb(korea)),
        ecb: yield* makeFakeServer(makeEcb(Context.get(ports, ExchangeRates))),
        coinPaprika: yield* makeFakeServer(makeCoinPaprika(prices)),
        coinGecko: yield* makeFakeServer(makeCoinGecko(prices)),
        defiLlama: yield* makeFakeServer(makeDefiLlama(Context.get(ports, TokenMarkets)))
      }
      const news = yield* makeFakeServer(makeNewsPublishers(Context.get(ports, NewsFeed)))
      const feed = { publisher: "Harbour Wire", language: "en", url: `${news.url}${feedPath("Harbour Wire")}` }
      const urls = Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, url]))
      const probe = probeSources({
        urls: { ...allUrlsAt("http://127.0.0.1:9"), ...urls },
        coins: trackedCoins.filter(({ coin }) => coin === "BTC"),
        newsFeeds: [{ ...feed, name: "paper" }, { ...feed, name: "gone", url: "http://127.0.0.1:9/feed" }],
        retryPolicy: { maxTries: 1 }
      }).pipe(Effect.raceFirst(timePasses))
      const outcomesOf = (all: Effect.Success<typeof probe>, source: string) => [
        ...new Set(all.filter((one) => one.source === source).map(({ outcome }) => outcome))
      ]
      const all = yield* probe
      const named = ["upbit", "bithumb", "ecb", "coinpaprika", "coingecko", "defillama"]
      assert.deepStrictEqual(named.map((source) => outcomesOf(all, source)), named.map(() => ["answered"]))
      for (const venue of ["binance", "bybit", "okx"]) {
        const spot = all.filter(({ source, label }) => source === venue && /^spot|^24-hour/u.test(label))
        assert.deepStrictEqual(spot.map(({ outcome, rowCount }) => [outcome, (rowCount ?? 0) > 0]), [
          ["answered", true],
          ["answered", true],
          ["answered", true]
        ])
      }
      const feeds = all.filter(({ source }) => source === "news").map(({ outcome, label }) => [label, outcome])
      assert.deepStrictEqual(feeds, [["paper", "answered"], ["gone", "unreachable"]])
      assert.deepStrictEqual(["edgar", "ecos", "yahoo"].map((source) => outcomesOf(all, source)), [
        ["not_configured"],
        ["not_configured"],
        ["not_configured"]
      ])
      assert.isTrue(all.every(({ tookMs }) => tookMs >= 0))

      servers.binanceSpot.fail({ _tag: "answer", status: 451, body: "" })
      const probeWithoutKeys = yield* probe
      // If a replacement source responds, the result names the replacement source.
      assert.deepStrictEqual(outcomesOf(probeWithoutKeys, "binance").toSorted(), ["blocked", "unreachable"])
      const candles = probeWithoutKeys.find(({ label }) => label === "past candles")
      assert.deepStrictEqual([candles?.source, candles?.outcome], ["bybit", "answered"])
      assert.deepStrictEqual(outcomesOf(probeWithoutKeys, "coingecko"), ["answered"])
    }).pipe(Effect.scoped),
  60_000
)

it.effect(
  "sends every request to an unavailable source, and ends in time",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const silent = yield* makeFakeServer(
        makeBinanceSpot(prices, Context.get(ports, OrderBooks)),
        () => () => Effect.never
      )
      silent.fail({ _tag: "silent" })
      const urls = { ...allUrlsAt("http://127.0.0.1:9"), binanceSpot: silent.url, deribit: silent.url }
      const futures = yield* makeFakeServer(makeBinanceFutures({ derivatives, prices }))
      const streams = { binanceStreams: silent.url.replace("http", "ws"), blueskyStreams: "ws://127.0.0.1:9" }
      const settings = { urls: { ...urls, ...streams, binanceFutures: futures.url }, newsFeeds: [] }
      const all = yield* Effect.raceFirst(probeSources(settings), timePasses)
      assert.isAtMost((yield* Effect.clockWith((clock) => clock.currentTimeMillis)) - now, 15_000)
      const isOfBefore = /consecutive failures|paused for|next attempt/u
      assert.deepStrictEqual(all.filter(({ reason }) => isOfBefore.test(reason ?? "")), [])
      const { binance, deribit } = Object.groupBy(all, ({ source }) => source)
      const spot = binance?.filter(({ label }) => /^spot|^24-hour|^past (?:candles|prices)|^tickers/u.test(label)) ?? []
      assert.lengthOf(spot, 6)
      for (const { reason } of [...spot, ...deribit ?? []]) {
        assert.match(reason ?? "", /no response|the connection failed/u)
      }
      const streamOf = (source: string, label: string) =>
        all.find((one) => one.source === source && one.label === label)
      assert.match(streamOf("bluesky", "posts")?.reason ?? "", /ECONNREFUSED/u)
      assert.match(streamOf("binance", "liquidations")?.reason ?? "", /no confirmation within 5 s/u)
    }).pipe(Effect.scoped),
  60_000
)

it.effect(
  "probes government sources, and reports which of them lack a setting",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const calendar = Context.get(ports, MacroCalendar)
      const key = "a-key-of-nobody"
      const filings = (yield* makeFakeServer(makeEdgar(Context.get(ports, EquityMarkets)))).url
      const urls = {
        edgar: filings,
        edgarData: filings,
        usTreasury: (yield* makeFakeServer(makeTreasuryYields(calendar))).url,
        fiscalData: (yield* makeFakeServer(makeTreasuryAuctions(calendar))).url,
        federalReserve: (yield* makeFakeServer(makeFedCalendar(calendar))).url,
        bls: (yield* makeFakeServer(makeBlsSchedule(calendar))).url,
        bea: (yield* makeFakeServer(makeBeaSchedule(calendar))).url,
        ecos: (yield* makeFakeServer(makeEcos(calendar, key))).url,
        openDart: (yield* makeFakeServer(makeOpenDart(Context.get(ports, EquityMarkets), key))).url
      }
      const keys = { ecos: key, openDart: key }
      const officesOf = (settings: typeof keys & { readonly edgarContact?: string }) =>
        Layer.provide(
          layerGovernmentSources({ keys: settings, retryPolicy: { maxTries: 1 }, urls }),
          SourceHealth.layer
        )
      const probeGovernments = Effect.gen(function*() {
        const probes = yield* governmentProbes
        return yield* Effect.forEach(probes, ({ fetch, source }) =>
          Effect.match(fetch, {
            onSuccess: (value) => ({ source, outcome: "answered", resultCount: countOf(value) }),
            onFailure: ({ failure }) => ({ source, outcome: failure, resultCount: null })
          }))
      })
      const all = yield* Effect.provide(probeGovernments, officesOf(keys))
      const outcomes = (sources: ReadonlyArray<string>, probes = all) =>
        probes.filter(({ source }) => sources.includes(source)).map((
          { outcome, resultCount }
        ) => [outcome, (resultCount ?? 0) > 0])
      const named = ["us_treasury", "federal_reserve", "bls", "bea", "ecos", "opendart"]
      assert.deepStrictEqual(outcomes(named), Array.from({ length: 9 }, () => ["answered", true]))
      assert.deepStrictEqual(outcomes(["edgar"]), Array.from({ length: 4 }, () => ["not_configured", false]))
      const introduced = Effect.provide(
        probeGovernments,
        officesOf({ ...keys, edgarContact: "Ann Lee ann@example.com" })
      )
      const filed = outcomes(["edgar"], yield* Effect.raceFirst(introduced, timePasses))
      assert.deepStrictEqual(filed, Array.from({ length: 4 }, () => ["answered", true]))
    }).pipe(Effect.scoped),
  60_000
)
