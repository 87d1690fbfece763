import { afterAll, assert, layer as withLayer } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  dayMs,
  durationMs,
  hourMs,
  type MarketRead,
  minuteMs,
  overlapsGap,
  readValue,
  timeframes
} from "@tapeline/core/market"
import type { MarketStore } from "@tapeline/core/market/store"
import { coinDerivativesContract } from "@tapeline/testing/contracts/coinDerivatives"
import { coinPricesContract } from "@tapeline/testing/contracts/coinPrices"
import { exchangeRatesContract } from "@tapeline/testing/contracts/exchangeRates"
import { impliedVolatilitiesContract } from "@tapeline/testing/contracts/impliedVolatilities"
import { koreanCoinMarketsContract } from "@tapeline/testing/contracts/koreanCoinMarkets"
import { newsFeedContract } from "@tapeline/testing/contracts/newsFeed"
import { onchainFlowsContract } from "@tapeline/testing/contracts/onchainFlows"
import { orderBooksContract } from "@tapeline/testing/contracts/orderBooks"
import { socialFeedContract } from "@tapeline/testing/contracts/socialFeed"
import { storedEquitiesContract } from "@tapeline/testing/contracts/storedEquities"
import { waive } from "@tapeline/testing/contracts/waiver"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { storedCoinDerivatives } from "../../src/stored/coinDerivatives.ts"
import { storedCoinPrices } from "../../src/stored/coinPrices.ts"
import { storedExchangeRates } from "../../src/stored/exchangeRates.ts"
import { storedImpliedVolatilities } from "../../src/stored/impliedVolatilities.ts"
import { storedKoreanCoinMarkets } from "../../src/stored/koreanCoinMarkets.ts"
import { storedNewsFeed } from "../../src/stored/newsFeed.ts"
import { storedOnchainFlows } from "../../src/stored/onchainFlows.ts"
import { storedOrderBooks } from "../../src/stored/orderBooks.ts"
import { storedSocialFeed } from "../../src/stored/socialFeed.ts"
import { storedEquities } from "../../src/stored/storedEquities.ts"
import { type CollectedStore, makeCollectedStore } from "./collected.ts"
import { simulatedVenues, sourceName } from "./collecting.ts"
import { checkAllTools } from "./everyTool.ts"
import { sharedPorts, sharedWorld } from "./sharedWorld.ts"

/** A Friday during a New York session. */
const now = Date.parse("2026-11-20T15:48:22.517Z")
const hour = Math.floor(now / hourMs) * hourMs
const day = Math.floor(now / dayMs) * dayMs

const outage = { from: hour - 32 * hourMs, to: hour - 27 * hourMs }
const backfilled = { from: hour - 80 * hourMs, to: hour - 77 * hourMs }
const delistedAt = day - 6 * dayMs + 10 * hourMs + 20 * minuteMs

const marketLayer = Layer.succeedContext(sharedPorts)
const onGrid = Math.floor(now / (5 * minuteMs)) * 5 * minuteMs

const collection = {
  now: onGrid,
  until: hour + 16 * hourMs,
  coins: ["BTC", "XRP", "SOL", "LTC", "USDT"],
  lost: [outage, backfilled],
  delisted: { LTC: delistedAt },
  sparseCoins: ["XRP"],
  candleDays: 42,
  priceDays: 8,
  perpetualDays: 11
}

const layerStoredPorts = (store: Layer.Layer<MarketStore>) =>
  Layer.mergeAll(
    storedCoinPrices,
    storedCoinDerivatives({ venues: simulatedVenues, completeTapes: [sourceName] }),
    storedOrderBooks,
    storedOnchainFlows,
    storedSocialFeed,
    storedNewsFeed,
    storedKoreanCoinMarkets,
    storedExchangeRates,
    storedImpliedVolatilities,
    storedEquities
  ).pipe(Layer.provide(store))

type StoredPortsLayer = ReturnType<typeof layerStoredPorts>

const comparePricesAt = <A, E>(time: number, ask: (prices: CoinPrices["Service"]) => Effect.Effect<A, E>) =>
  Effect.andThen(
    TestClock.setTime(time),
    Effect.all([Effect.flatMap(CoinPrices, ask), Effect.provide(Effect.flatMap(CoinPrices, ask), marketLayer)])
  )

const listed = ["BTC", "SOL", "USDT"]

const testPrices = (name: string, ports: StoredPortsLayer) =>
  // The first test waits until the market is collected, which takes long in a database on a busy machine.
  withLayer(ports, { timeout: 240_000 })(`CoinPrices: ${name}, compared with the collected market`, (it) => {
    it.effect("returns the market's candles at every timeframe", () =>
      Effect.gen(function*() {
        for (const timeframe of timeframes) {
          for (const coin of listed) {
            const query = { coin, timeframe, bars: 6 }
            const [actual, its] = yield* comparePricesAt(onGrid, (prices) => prices.candles(query))
            // A candle that has just begun contains no complete five-minute candle yet.
            const closedCandles = its.value.filter(({ closed, time }) => closed || time < onGrid && timeframe !== "5m")
            const isInGap = (time: number) =>
              overlapsGap([outage, backfilled], time, Math.min(time + durationMs[timeframe], onGrid))
            assert.deepStrictEqual(actual.value, closedCandles.filter(({ time }) => !isInGap(time)))
            assert.deepStrictEqual([actual.sources, actual.asOf], [its.sources, onGrid])
          }
        }
      }))

    it.effect("returns the market's prices, minutes and tickers", () =>
      Effect.gen(function*() {
        for (const ago of [0, 5 * minuteMs, 60 * minuteMs, 3 * dayMs]) {
          const [actual, its] = yield* comparePricesAt(
            onGrid,
            (prices) => prices.priceAt({ coin: "SOL", time: onGrid - ago })
          )
          assert.deepStrictEqual(actual, its)
        }
        const query = { coins: listed, after: onGrid - hourMs, until: onGrid }
        const [minutes, its] = yield* comparePricesAt(onGrid, (prices) => prices.minutes(query))
        assert.deepStrictEqual(minutes, its)
        for (const coin of listed) {
          const [storedReading, direct] = yield* comparePricesAt(
            onGrid - 4 * dayMs,
            (prices) => readValue(prices.ticker(coin))
          )
          assert.strictEqual(storedReading.time, direct.time)
          for (const field of ["price", "change24hPct", "high24h", "low24h", "volume24hUsd"] as const) {
            assert.closeTo(
              storedReading[field]! / (direct[field]! || 1),
              direct[field] === 0 ? 0 : 1,
              1e-9,
              `${coin} ${field}`
            )
          }
        }
      }))
  })

const compareDerivativesAt = <A, E>(
  time: number,
  ask: (derivatives: CoinDerivatives["Service"]) => Effect.Effect<A, E>
) =>
  Effect.andThen(
    TestClock.setTime(time),
    Effect.all([
      Effect.flatMap(CoinDerivatives, ask),
      Effect.provide(Effect.flatMap(CoinDerivatives, ask), marketLayer)
    ])
  )

const testDerivatives = (name: string, ports: StoredPortsLayer) =>
  withLayer(ports, { timeout: 60_000 })(`CoinDerivatives: ${name}, compared with the collected market`, (it) => {
    it.effect("returns the market's current data", () =>
      Effect.gen(function*() {
        for (const coin of ["BTC", "SOL"]) {
          const [storedReading, direct] = yield* compareDerivativesAt(onGrid, (derivatives) =>
            derivatives.perpetual(coin))
          // A stored record has only one venue, which is its source.
          const ofVenue = { fundingVenue: "simulated", openInterestVenues: ["simulated"] }
          assert.deepStrictEqual(storedReading, { ...direct, value: { ...direct.value, ...ofVenue } })
          for (const method of ["fundingByVenue", "openInterestByVenue", "futures"] as const) {
            const [actual, its] = yield* compareDerivativesAt(
              onGrid,
              (derivatives): MarketRead<unknown> =>
                derivatives[method](coin)
            )
            assert.deepStrictEqual(actual, its, `${method} of ${coin}`)
          }
        }
        const [actual, its] = yield* compareDerivativesAt(onGrid, ({ perpetuals }) => readValue(perpetuals))
        assert.deepStrictEqual(actual, its.filter(({ coin }) => ["BTC", "SOL", "XRP"].includes(coin)))
      }))

    it.effect("returns the market's series, with an outage as a gap", () =>
      Effect.gen(function*() {
        for (const { from, to } of [{ from: onGrid - 20 * hourMs, to: onGrid + 1 }, { ...outage }]) {
          const query = { coin: "SOL", from: from - 2 * hourMs, to: to + hourMs, stepMs: 30 * minuteMs, limit: 100_000 }
          const isInOutage = (time: number) => outage.from <= time && time < outage.to
          const [history, wholeHistory] = yield* compareDerivativesAt(onGrid, (port) => port.perpetualHistory(query))
          assert.deepStrictEqual(
            history.value.points,
            wholeHistory.value.points.filter(({ time }) => !isInOutage(time))
          )
          assert.deepStrictEqual(history.value.gaps, overlapsGap([outage], query.from, query.to) ? [outage] : [])
          const [flow, wholeFlow] = yield* compareDerivativesAt(onGrid, (port) => port.takerFlow(query))
          const expected = wholeFlow.value.points.filter(({ time }) => !isInOutage(time))
          assert.deepStrictEqual(flow.value.points.map(({ time }) => time), expected.map(({ time }) => time))
          for (const [i, { buyUsd, sellUsd }] of flow.value.points.entries()) {
            assert.closeTo(buyUsd, expected[i]!.buyUsd, 1e-4)
            assert.closeTo(sellUsd, expected[i]!.sellUsd, 1e-4)
          }
          assert.strictEqual(flow.asOf, wholeFlow.asOf)
          const [tape, wholeTape] = yield* compareDerivativesAt(onGrid, (port) => port.liquidations(query))
          assert.deepStrictEqual(tape.value.events, wholeTape.value.events.filter(({ time }) => !isInOutage(time)))
          assert.deepStrictEqual(tape.value.gaps, history.value.gaps)
          assert.deepStrictEqual(
            tape.value.steps.map(({ count, time }) => [time, count]),
            wholeTape.value.steps.filter(({ time }) => !isInOutage(time)).map(({ count, time }) => [time, count])
          )
        }
        const payments = { coin: "SOL", from: onGrid - 9 * dayMs, to: onGrid }
        const [prints, wholePrints] = yield* compareDerivativesAt(
          onGrid,
          (port) => readValue(port.fundingPayments(payments))
        )
        const isInGap = (time: number) => overlapsGap([outage, backfilled], time, time + 1)
        assert.deepStrictEqual(prints, wholePrints.filter(({ time }) => !isInGap(time)))
      }))
  })

const testCoinPorts = (name: string, ports: StoredPortsLayer, store: CollectedStore) => {
  coinPricesContract(name, ports, {
    now,
    coins: ["BTC", "XRP", "SOL"],
    delisted: "LTC",
    outage,
    takerless: "XRP",
    backfill: { coin: "BTC", interval: backfilled, writeChange: store.fillGap("BTC", backfilled) }
  })
  coinDerivativesContract(name, ports, {
    now,
    coins: ["SOL", "BTC", "XRP"],
    stablecoin: "USDT",
    coverage: "whole",
    sameVenues: true,
    outage,
    backfill: { coin: "SOL", interval: backfilled, writeChange: store.fillGap("SOL", backfilled) }
  })
}

const testFeedPorts = (name: string, ports: StoredPortsLayer, store: CollectedStore) => {
  orderBooksContract(name, ports, { now, coins: ["BTC", "USDT"] })
  onchainFlowsContract(name, ports, { now, coin: "SOL", outage })
  socialFeedContract(name, ports, {
    now,
    coin: "XRP",
    outage,
    backfill: { coin: "XRP", interval: backfilled, writeChange: store.fillGap("XRP", backfilled) }
  })
  newsFeedContract(name, ports, { now, coin: "BTC", symbol: "AAPL" })
}

const testOtherPorts = (name: string, ports: StoredPortsLayer) => {
  koreanCoinMarketsContract(name, ports, {
    now,
    coin: "SOL",
    unlisted: "DAI",
    outage,
    quoteless: "XRP",
    listing: sharedWorld.korea.getListings(onGrid - dayMs, onGrid, onGrid).at(-1) ??
      waive("no market opened in the last day"),
    delisting: sharedWorld.korea.getDelistings(onGrid - 119 * dayMs, onGrid).at(-1) ?? waive("no market closed"),
    closedCoin: sharedWorld.korea.getDelistings(onGrid - dayMs, onGrid).at(-1)?.coin ?? waive("no market closed")
  })
  exchangeRatesContract(name, ports, { now, outage })
  impliedVolatilitiesContract(name, ports, {
    now,
    coin: "BTC",
    maturityDays: 30,
    coinWithoutOptions: "DOGE",
    longerMaturity: { maturityDays: 60 },
    chain: waive("it stores no option chain")
  })
  storedEquitiesContract(name, ports, {
    now,
    symbol: "AAPL",
    index: "SPX",
    delisted: {
      symbol: "TWTR",
      tradedAt: Date.parse("2022-10-27T19:00Z"),
      delistedBy: Date.parse("2022-10-31T15:00Z")
    }
  })
}

const instants = { "on a normal day": now, "during an outage": outage.from + 2 * hourMs }

const testTools = (name: string, ports: StoredPortsLayer) =>
  withLayer(Layer.empty, { timeout: 60_000 })(`tools over ${name}`, (it) => {
    const market = Layer.merge(marketLayer, ports)
    for (const [description, time] of Object.entries(instants)) {
      it.effect(`returns numbers or names the missing data in every tool: ${description}`, () =>
        Effect.map(
          checkAllTools(market, ["SOL", "LTC", "USDT"], time),
          (answeredCount) => assert.isAtLeast(answeredCount, 30)
        ))
    }
  })

/** Runs the contract suites of all ports over a store, and compares the stored data with the collected market. */
export const storedSuites = (name: string, layer: Layer.Layer<MarketStore>): void => {
  const store = makeCollectedStore(marketLayer, collection, layer)
  afterAll(() => Effect.runPromise(store.close))
  const ports = layerStoredPorts(store.layer)
  testPrices(name, ports)
  testDerivatives(name, ports)
  testCoinPorts(name, ports, store)
  testFeedPorts(name, ports, store)
  testOtherPorts(name, ports)
  testTools(name, ports)
}
