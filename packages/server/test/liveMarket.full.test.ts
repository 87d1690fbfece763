import { assert, describe, it } from "@effect/vitest"
import { CoinDerivatives, CoinPrices, ImpliedVolatilities, OptionsVenue, OrderBooks } from "@tapeline/core/market"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { variables } from "@tapeline/server"
import {
  type FakeServer,
  makeBinanceFutures,
  makeBinanceLiquidations,
  makeBinanceSpot,
  makeDeribit,
  makeDeribitHistory,
  makeFakeServer
} from "@tapeline/wire"
import { Context, Effect } from "effect"
import { openIdModule, startListingModules } from "./support/loadedModules.ts"
import { type ServerProcess, startServer } from "./support/process.ts"
import { callGetPrice, createAccount, pollUntil, sendRequest, testSettings } from "./support/service.ts"
import { makePglite, migratedPostgres } from "./support/testDatabases.ts"

const market = SimMarket.makePorts(makeWorld("live"))
const prices = Context.get(market, CoinPrices)
const derivatives = Context.get(market, CoinDerivatives)
const options = Context.get(market, OptionsVenue)

const wire = Effect.gen(function*() {
  const spot = yield* makeFakeServer(makeBinanceSpot(prices, Context.get(market, OrderBooks)))
  const futures = yield* makeFakeServer(
    makeBinanceFutures({ derivatives, prices }),
    makeBinanceLiquidations(derivatives)
  )
  const volatilities = Context.get(market, ImpliedVolatilities)
  const venue = yield* makeFakeServer(makeDeribit({ options, volatilities, derivatives }))
  const archive = yield* makeFakeServer(makeDeribitHistory(options))
  return { spot, futures, venue, archive }
})

type Wire = Record<"archive" | "futures" | "spot" | "venue", FakeServer>

/** URLs without a server, so that no test sends a request over the internet. */
const unreachableUrls = Object.fromEntries(
  variables.filter((name) => name.startsWith("TAPELINE_URL_")).map((name) => [
    name,
    name.endsWith("_STREAMS") ? "ws://127.0.0.1:9" : "http://127.0.0.1:8"
  ])
)

/** Returns settings of a live market with one coin on the fake servers, and with a retention of at most two days. */
const liveOver = ({ archive, futures, spot, venue }: Wire) => ({
  ...unreachableUrls,
  TAPELINE_MARKET: "live",
  TAPELINE_COINS: "BTC",
  TAPELINE_RETENTION_DAYS: JSON.stringify({ candles: 2, prices: 1, perpetuals: 1, takerFlow: 1, fundingPrints: 2 }),
  TAPELINE_URL_BINANCE_SPOT: spot.url,
  TAPELINE_URL_BINANCE_FUTURES: futures.url,
  TAPELINE_URL_BINANCE_STREAMS: futures.url.replace("http", "ws"),
  TAPELINE_NEWS_FEEDS: "none",
  TAPELINE_URL_BLUESKY_STREAMS: "ws://127.0.0.1:9",
  TAPELINE_URL_BYBIT: "http://127.0.0.1:8",
  TAPELINE_URL_BYBIT_STREAMS: "ws://127.0.0.1:9",
  TAPELINE_URL_OKX: "http://127.0.0.1:8",
  TAPELINE_URL_OKX_STREAMS: "ws://127.0.0.1:9",
  TAPELINE_URL_DERIBIT: venue.url,
  TAPELINE_URL_DERIBIT_HISTORY: archive.url
})

const ofLive = /\/node_modules\/(ccxt|yahoo-finance2)\/|\/packages\/market-live\//
const ofOurs = /\/packages\/core\/src\//

const sourceOf = (server: ServerProcess, name: string) =>
  Effect.map(sendRequest(server, "GET", "/readyz"), ({ body, status }) => {
    assert.strictEqual(status, 200)
    const sourceState: { readonly state: string; readonly failure: string | null; readonly next: string | null } = body
      .market
      .sources.find(({ source }: { readonly source: string }) => source === name)
    return sourceState
  })

const call = (server: ServerProcess, key: string, tool: string, body: object) =>
  Effect.map(sendRequest(server, "POST", `/v1/tools/${tool}`, { key, body }), ({ body }) => body)

it.live(
  "a default start loads neither the live market nor the OpenID client",
  () =>
    Effect.gen(function*() {
      const { modules, server } = yield* startListingModules({ ...testSettings, ...(yield* makePglite()).environment })
      const { key } = yield* createAccount(server, "pro")
      assert.strictEqual((yield* callGetPrice(server, key)).status, 200)
      assert.deepStrictEqual((yield* sendRequest(server, "GET", "/readyz")).body, { status: "ready" })
      assert.isTrue(modules().some((url) => ofOurs.test(url)))
      assert.deepStrictEqual(modules().filter((url) => ofLive.test(url) || openIdModule.test(url)), [])
    })
)

it.live(
  "a live market without a reachable source is ready, and /readyz and its tools name the source",
  () =>
    Effect.gen(function*() {
      const servers = yield* wire
      servers.spot.fail({ _tag: "reset" })
      servers.futures.fail({ _tag: "silent" })
      servers.venue.fail({ _tag: "answer", status: 451, body: "not here" })
      const { modules, server } = yield* startListingModules({
        ...testSettings,
        ...(yield* makePglite()).environment,
        ...liveOver(servers)
      })
      assert.isTrue(modules().some((url) => ofLive.test(url)))
      // The module of the Yahoo client is imported only if the operator enables Yahoo.
      assert.isFalse(modules().some((url) => url.includes("/node_modules/yahoo-finance2/")))
      const { key } = yield* createAccount(server, "pro")
      const failsBy = Effect.fnUntraced(function*(
        tool: string,
        args: object,
        source: string,
        message: RegExp,
        failures: ReadonlyArray<string> = ["unreachable"]
      ) {
        const { credits_used, data } = yield* call(server, key, tool, args)
        assert.strictEqual(credits_used, 0)
        assert.strictEqual(data.error.code, "source_unavailable", JSON.stringify(data))
        assert.include(data.error.message, `\`${source}\``)
        assert.match(data.error.message, message)
        assert.strictEqual(data.error.source, source)
        assert.include(failures, data.error.failure)
      })
      yield* failsBy("get_us_stock", { symbol: "AAPL" }, "yahoo", /TAPELINE_YAHOO/, ["not_configured"])
      yield* failsBy("get_price", { coin: "BTC" }, "binance", /reached/)
      yield* failsBy("get_score", { coin: "BTC" }, "binance", /reached/)
      yield* failsBy("get_derivatives", { coin: "BTC" }, "binance", /reached/)
      yield* failsBy("get_option_chain", { coin: "BTC" }, "deribit", /reached|not available/, [
        "unreachable",
        "blocked"
      ])
      const spot = yield* pollUntil(
        "binance/spot",
        sourceOf(server, "binance/spot"),
        ({ state }) => state === "failing"
      )
      assert.deepInclude(spot, { failure: "unreachable", next: "bybit" })
      const venue = yield* pollUntil("deribit", sourceOf(server, "deribit"), ({ state }) => state === "blocked")
      assert.deepInclude(venue, { failure: "blocked" })
      // The process also leads two jobs that request no source: the deletion of old data, and hourly derivation.
      const { body: { market: { collected } } } = yield* sendRequest(server, "GET", "/readyz")
      const leads = collected.filter(({ lead }: { readonly lead: string }) => lead === "leads")
      const named = leads.map(({ source }: { readonly source: string }) => source)
      assert.includeMembers(named, ["binance", "derived", "retention"])
      // After several consecutive failures, the circuit breaker rejects requests to the source for 15 seconds.
      for (const one of Object.values(servers)) one.heal()
      yield* pollUntil("the price", callGetPrice(server, key), ({ body }) => body.data.price > 0, 60_000)
    }),
  120_000
)

describe("A live market on PostgreSQL", () => {
  it.live("answers from collected data", () =>
    Effect.gen(function*() {
      const database = yield* migratedPostgres
      const server = yield* startServer({ ...testSettings, ...database.environment, ...liveOver(yield* wire) })
      const { key } = yield* createAccount(server, "pro")
      const price = yield* pollUntil(
        "the price",
        call(server, key, "get_price", { coin: "BTC" }),
        ({ data }) => data.price > 0,
        30_000
      )
      assert.strictEqual(price.data.source, "binance")
      const chain = yield* call(server, key, "get_option_chain", { coin: "BTC" })
      assert.strictEqual(chain.credits_used > 0, true, JSON.stringify(chain.data))
      yield* pollUntil("binance/spot", sourceOf(server, "binance/spot"), ({ state }) => state === "up")
    }), 60_000)
})
