import { describe, expect, it } from "@effect/vitest"
import {
  CoinPrices,
  dayMs,
  EquityMarkets,
  ImpliedVolatilities,
  OptionsVenue,
  readValue,
  StoredEquities
} from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { coinSpecs } from "../src/coin/coins.ts"
import { SimMarket } from "../src/index.ts"

const now = Date.parse("2026-11-20T10:03:22.517Z")

describe("the simulated ports", () => {
  it.layer(SimMarket.layer({ seed: "store" }))("read one world", (it) => {
    it.effect("name their source, and list every coin that is listed at that time", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const prices = yield* CoinPrices
        const { sources, value } = yield* prices.coins
        expect(sources).toEqual(["simulated"])
        expect(value).toHaveLength(coinSpecs.length)
        expect(value[0]!.coin).toBe("BTC")
        yield* TestClock.setTime(Date.parse("2022-01-01"))
        expect((yield* readValue(prices.coins)).some(({ coin }) => coin === "SUI")).toBe(false)
        expect((yield* Effect.flip(prices.ticker("SUI")))._tag).toBe("NoData")
      }))

    it.effect("return the same price in the ticker, at its instant and in the running candle", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const prices = yield* CoinPrices
        const { price } = yield* readValue(prices.ticker("SOL"))
        expect((yield* readValue(prices.priceAt({ coin: "SOL", time: now }))).price).toBe(price)
        const [open] = yield* readValue(prices.candles({ coin: "SOL", timeframe: "5m", bars: 1 }))
        expect(open!.close).toBe(price)
      }))

    it.effect("return the same stock quote from StoredEquities and EquityMarkets", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const equities = yield* EquityMarkets
        const storedQuote = (yield* readValue((yield* StoredEquities).quotes("US"))).find(({ symbol }) =>
          symbol === "AAPL"
        )
        expect(yield* readValue(equities.quote("AAPL"))).toEqual(storedQuote)
        const { candles } = yield* readValue(equities.history({ symbol: "AAPL", timeframe: "1d", bars: 1 }))
        expect(candles[0]!.close).toBe(storedQuote!.price)
        expect(yield* readValue(equities.stocks("KR"))).toHaveLength(62)
        // Before New York opens, a quote has both the last close and a pre-market price.
        expect(storedQuote!.extended).toMatchObject({ session: "pre", time: now })
        expect(Math.abs(storedQuote!.extended!.price / storedQuote!.price - 1)).toBeLessThan(0.2)
      }))

    it.effect("return an implied volatility history for every maturity", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const volatilities = yield* ImpliedVolatilities
        expect(yield* readValue((yield* OptionsVenue).underlyings)).toEqual(["BTC", "ETH", "SOL"])
        for (const maturityDays of [3, 7, 30, 90]) {
          const { method, points } = yield* readValue(volatilities.history({ coin: "BTC", days: 30, maturityDays }))
          expect(method).toBe("atm_interpolated")
          expect(points).toHaveLength(30)
          expect(points.at(-1)!.time).toBeGreaterThan(now - dayMs / 24)
        }
        const index = volatilities.history({ coin: "BTC", days: 30, maturityDays: 30, method: "index" })
        expect((yield* Effect.flip(index))._tag).toBe("NoData")
      }))
  })
})
