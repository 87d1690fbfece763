// Calls all tools over the live ports, and checks that each tool returns a result or an error with a reason.
import { assert, it } from "@effect/vitest"
import { DerivedStore, specifications, Toolbox, tools } from "@tapeline/core"
import { ArtifactStore, ChartRenderer, Embeddings, layerNewsSearch } from "@tapeline/core/analysis"
import {
  CoinDerivatives,
  CoinPrices,
  hourMs,
  ImpliedVolatilities,
  type MarketPorts,
  OnchainFlows,
  OptionsVenue,
  OrderBooks,
  TokenMarkets
} from "@tapeline/core/market"
import {
  MemoryJournalStore,
  MemoryMarketStore,
  MemoryNotificationStore,
  MemoryState,
  MemoryTaskStore
} from "@tapeline/testing"
import { createExampleRecords } from "@tapeline/testing/journal/exampleRecords"
import { callByName, layerToolCaller } from "@tapeline/testing/toolCalls"
import {
  type FakeServer,
  makeBinanceFutures,
  makeBinanceLiquidations,
  makeBinanceSpot,
  makeDeribit,
  makeDeribitHistory,
  makeDexScreener,
  makeFakeServer,
  makeGeckoTerminal
} from "@tapeline/wire"
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { coinTokens, layerLiveMarket, MarketHealth, trackedCoins } from "../../src/index.ts"
import { portsOfCoins } from "../support/fewCoins.ts"
import { allUrlsAt } from "../support/sourceUrls.ts"

const start = Date.parse("2026-11-20T12:31:17.000Z")
const coins = ["BTC", "ETH", "PEPE"]
const all = portsOfCoins([...coins, "SOL", "USDT", "USDC"])
const derivatives = Context.get(all, CoinDerivatives)
const prices = Context.get(all, CoinPrices)

/** A URL where no server listens. */
const unreachableUrl = "http://127.0.0.1:9"

const wire = Effect.gen(function*() {
  const [options, volatilities] = [Context.get(all, OptionsVenue), Context.get(all, ImpliedVolatilities)]
  const dex = {
    tokens: Context.get(all, TokenMarkets),
    flows: Context.get(all, OnchainFlows),
    coins: coinTokens.filter(({ coin }) => coins.includes(coin)).map((
      { address, coin, coinId, wrapped: wrappedToken }
    ) => ({
      coin,
      id: coinId,
      contract: wrappedToken?.address ?? address
    }))
  }
  return {
    spot: yield* makeFakeServer(makeBinanceSpot(prices, Context.get(all, OrderBooks))),
    futures: yield* makeFakeServer(makeBinanceFutures({ derivatives, prices }), makeBinanceLiquidations(derivatives)),
    venue: yield* makeFakeServer(makeDeribit({ options, volatilities, derivatives })),
    archive: yield* makeFakeServer(makeDeribitHistory(options)),
    gecko: yield* makeFakeServer(makeGeckoTerminal(dex)),
    screener: yield* makeFakeServer(makeDexScreener(dex))
  }
})
type Wire = Effect.Success<typeof wire>

/** Starts the live market with long time limits, because the test clock runs faster than the servers. */
const liveOver = ({ archive, futures, gecko, screener, spot, venue }: Wire) =>
  layerLiveMarket({
    urls: {
      ...allUrlsAt(unreachableUrl),
      binanceSpot: spot.url,
      binanceFutures: futures.url,
      binanceStreams: futures.url.replace("http", "ws"),
      deribit: venue.url,
      deribitHistory: archive.url,
      geckoTerminal: gecko.url,
      dexScreener: screener.url
    },
    coins: trackedCoins.filter(({ coin }) => coins.includes(coin)),
    candleDays: 8,
    priceDays: 1,
    derivativeDays: 8,
    retryPolicy: { timeoutMs: hourMs, callTimeoutMs: hourMs }
  }).pipe(Layer.provide(MemoryMarketStore))

/** Embeds every text as the same vector, because the test does not depend on similarity. */
const embeddings = Layer.succeed(Embeddings, {
  model: "one direction",
  dimension: 2,
  minSimilarity: 0,
  embed: (texts) => Effect.succeed(texts.map(() => Float32Array.of(1, 0)))
})

const charts = Layer.merge(
  Layer.succeed(ChartRenderer, {
    render: ({ height, width }) => Effect.succeed({ svg: "<svg/>", png: Uint8Array.of(1), width, height })
  }),
  Layer.succeed(ArtifactStore, {
    save: ({ about }) => Effect.succeed({ id: "a".repeat(32), about }),
    readImage: () => Effect.succeed(null)
  })
)

const engineOver = <A, E>(market: Layer.Layer<MarketPorts | A, E>) =>
  layerToolCaller(Toolbox.layer(tools)).pipe(
    Layer.provide(charts),
    Layer.provide(Layer.mergeAll(MemoryJournalStore, MemoryTaskStore, MemoryNotificationStore)),
    Layer.provide(MemoryState.layer),
    Layer.provideMerge(Layer.mergeAll(DerivedStore.layer, Layer.provide(layerNewsSearch, embeddings))),
    Layer.provideMerge(market)
  )

const turns = Effect.forEach(Array.from({ length: 8 }), () => Effect.promise(() => setImmediate()), { discard: true })

/** Advances the clock until the effect ends. While a server handles a request, the clock stands still. */
const advanceWhile = <A, E, R>(servers: Wire, effect: Effect.Effect<A, E, R>, longest: number, step = 100) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect)
    for (let passedMs = 0; passedMs < longest;) {
      yield* turns
      if (fiber.pollUnsafe() !== undefined) return yield* Fiber.join(fiber)
      if (Object.values(servers).some((server: FakeServer) => server.openRequests() > 0)) continue
      yield* TestClock.adjust(step)
      passedMs += step
    }
    yield* Fiber.interrupt(fiber)
    return assert.fail(`it did not end within ${longest} ms`)
  })

const exampleOf = ({ example, parameters }: typeof specifications[number]): object => {
  const known = (value: unknown, i: number) => coins.includes(String(value)) ? value : coins[i]
  const exampleArguments = Object.entries(example).map(([key, value]: readonly [string, unknown]) => [
    key,
    key === "coin" ? known(value, 0) : key === "coins" && Array.isArray(value) ? value.map(known) : value
  ])
  return "coin" in parameters.fields && !("symbol" in parameters.fields)
    ? { coin: "BTC", ...Object.fromEntries(exampleArguments) }
    : Object.fromEntries(exampleArguments)
}

/** Matches names of amounts and prices, for which 0 must not replace a missing value. */
const isAmount = (name: string): boolean =>
  /_usd$|price$|volume|open_interest|supply|liquidity|funding_rate|atm_iv/u.test(name)

/** Results that may be 0: totals of only 15 recorded minutes. */
const lowerBounds = ["get_liquidations.listed", "get_liquidations_history.totals", "get_liquidations_history.by_hour"]

const zeroesOf = (actual: unknown, right: unknown, path: string): ReadonlyArray<string> => {
  if (lowerBounds.includes(path)) return []
  if (actual === 0 && typeof right === "number" && right !== 0) return isAmount(path) ? [path] : []
  if (typeof actual !== "object" || actual === null || typeof right !== "object" || right === null) return []
  if (Array.isArray(actual) && Array.isArray(right) && actual.length !== right.length) return []
  return Object.entries(actual).flatMap(([key, one]) => zeroesOf(one, Reflect.get(right, key), `${path}.${key}`))
}

/** The tools that must return a result, because their sources have a fake server. */
const mustAnswer = [
  "get_price",
  "get_price_at",
  "get_price_history",
  "get_market_overview",
  "get_indicators",
  "get_score",
  "get_orderbook",
  "get_volatility",
  "get_derivatives",
  "get_basis",
  "get_funding_comparison",
  "get_iv_metrics",
  "get_option_chain",
  "get_vol_surface",
  "get_onchain",
  "get_token",
  "search_tokens",
  "get_dex_pools",
  "run_backtest",
  "make_chart",
  "get_portfolio_risk"
]

interface ToolOutcome {
  readonly name: string
  readonly data: unknown
  readonly failure: { readonly code: string; readonly message: string; readonly retryable: boolean } | null
}

const askAll = (servers: Wire) =>
  Effect.forEach(specifications, (specification) =>
    advanceWhile(
      servers,
      Effect.gen(function*() {
        const { name } = specification
        const inner = (tool: string, args: object) => Effect.map(callByName(tool, args), ({ data }) => data)
        const args = yield* createExampleRecords(name, exampleOf(specification), inner)
        const answer = yield* Effect.exit(callByName(name, args))
        if (Exit.isFailure(answer)) return assert.fail(`${name}: ${String(answer)}`)
        const outcome: ToolOutcome = { name, ...answer.value }
        return outcome
      }),
      60_000
    ))

/** Returns whether a message names a missing source, such as `binance`, or states that no source exists. */
const namesSource = (message: string): boolean => /`[a-z][\w .,-]*`/u.test(message) || message.includes("No source of")

it.effect(
  "gets from every tool a result, or an error that names the source and the setting",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const servers: Wire = yield* wire
      const live = yield* Layer.build(engineOver(liveOver(servers)))
      const { report } = Context.get(live, MarketHealth)
      const isWhole = Effect.map(report, ({ collectorsBySource }) =>
        collectorsBySource.filter(({ source }) =>
          source === "binance"
        ).every(({ collectors }) =>
          collectors.every(({ name, completeAt }) => completeAt !== null || name === "perpetuals")
        ))
      yield* advanceWhile(
        servers,
        Effect.repeat(Effect.andThen(Effect.sleep("1 second"), isWhole), {
          until: (isFailure) => isFailure
        }),
        hourMs,
        1_000
      )
      yield* advanceWhile(servers, Effect.sleep("16 minutes"), hourMs, 5_000)

      const outcomes = yield* Effect.provideContext(askAll(servers), live)
      const sim = yield* Layer.build(engineOver(Layer.succeedContext(all)))
      const right = new Map(
        (yield* Effect.provideContext(askAll(servers), sim)).map(({ data, failure, name }) => [name, failure ?? data])
      )
      assert.strictEqual(outcomes.length, specifications.length)
      const zeroes = outcomes.flatMap(({ data, failure, name }) =>
        failure === null ? zeroesOf(data, right.get(name), name) : []
      )
      assert.deepStrictEqual(zeroes, [])
      for (const { failure, name } of outcomes) {
        if (failure === null) {
          continue
        }
        const failureLine = `${name}: ${failure.code}: ${failure.message}`
        assert.notInclude(mustAnswer, name, failureLine)
        assert.include(["source_unavailable", "no_data"], failure.code, failureLine)
        if (name === "run_code" || failure.code === "no_data") {
          continue
        }
        assert.isTrue(namesSource(failure.message), failureLine)
        const needsSetting = /TAPELINE_|not configured/u.test(failure.message)
        if (needsSetting) {
          assert.isFalse(failure.retryable, failureLine)
        }
      }
    }).pipe(Effect.scoped),
  300_000
)
