import { describe, expect, it } from "@effect/vitest"
import { dayMs, durationMs, EquityMarkets, hourMs, MarketStore } from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { coinSpecs } from "../src/coin/coins.ts"
import { SimMarket } from "../src/index.ts"

const now = Date.parse("2026-11-20T10:03:22.517Z")
const atNow = TestClock.setTime(now)

describe("the simulated MarketStore", () => {
  it.layer(SimMarket.layer({ seed: "store" }))("at a present", (it) => {
    it.effect("names itself, and lists what is listed, by capitalisation", () =>
      Effect.gen(function*() {
        yield* atNow
        const store = yield* MarketStore
        expect(store.source).toBe("simulated")
        const coins = yield* store.coins
        expect(coins).toHaveLength(coinSpecs.length)
        expect(coins[0]!.coin).toBe("BTC")
        const tickers = yield* store.tickers
        expect(tickers.map(({ coin }) => coin)).toEqual(coins.map(({ coin }) => coin))
        for (const ticker of tickers) {
          expect(ticker.time).toBe(now)
          expect(ticker.low24h).toBeLessThanOrEqual(ticker.price)
          expect(ticker.high24h).toBeGreaterThanOrEqual(ticker.price)
        }
        yield* TestClock.setTime(Date.parse("2022-01-01"))
        expect((yield* store.coins).some(({ coin }) => coin === "SUI")).toBe(false)
        expect((yield* Effect.flip(store.ticker("SUI")))._tag).toBe("NoData")
      }))

    it.effect("never tells what is newer than the clock, whatever is asked for", () =>
      Effect.gen(function*() {
        yield* atNow
        const store = yield* MarketStore
        const week = { from: now - 7 * dayMs, to: now + 7 * dayMs }
        const times: Array<number> = []
        for (const coin of ["BTC", "DOGE"]) {
          const note = (series: ReadonlyArray<{ readonly time: number }>) =>
            times.push(...series.map(({ time }) => time))
          note(yield* store.candles({ coin, timeframe: "1h", bars: 10, until: now + dayMs }))
          note(yield* store.candleRange({ coin, timeframe: "5m", ...week }))
          note(yield* store.derivativesHistory({ coin, stepMs: hourMs, ...week }))
          note(yield* store.fundingPrints({ coin, count: 5, until: now + dayMs }))
          note((yield* store.liquidations({ coin, ...week })).events)
          note(yield* store.onchainActivity({ coin, stepMs: hourMs, ...week }))
          note(yield* store.krwHistory({ coin, stepMs: hourMs, ...week }))
          note([yield* store.orderBook(coin), yield* store.derivatives(coin)])
        }
        times.push(...(yield* store.fxHistory({ pair: "usd_krw", stepMs: hourMs, ...week })).map(({ time }) => time))
        times.push(...(yield* store.krwListings(week)).map(({ listedAt }) => listedAt))
        times.push((yield* store.fx({ pair: "usdt_krw", time: now + dayMs })).time)
        for (const country of ["US", "KR"] as const) {
          times.push(...(yield* store.stockQuotes(country)).map(({ time }) => time))
          times.push(...(yield* store.indexQuotes(country)).map(({ time }) => time))
        }
        times.push(
          ...(yield* store.indexHistory({ index: "VIX", bars: 5, until: now + 9 * dayMs })).map(({ time }) => time)
        )
        expect(Math.max(...times)).toBeLessThanOrEqual(now)
        expect((yield* Effect.flip(store.priceAt({ coin: "BTC", time: now + 1 })))._tag).toBe("NoData")
      }))

    it.effect("gives the candles up to a past instant as they stood then", () =>
      Effect.gen(function*() {
        yield* atNow
        const store = yield* MarketStore
        const until = now - 3 * dayMs
        const then = yield* store.candles({ coin: "ETH", timeframe: "4h", bars: 20, until })
        yield* TestClock.setTime(until)
        expect(yield* store.candles({ coin: "ETH", timeframe: "4h", bars: 20 })).toEqual(then)
        expect(then).toHaveLength(20)
        expect(then.at(-1)!.closed).toBe(false)
      }))

    it.effect("tells the unknown from what there is no data of", () =>
      Effect.gen(function*() {
        yield* atNow
        const store = yield* MarketStore
        const tag = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
          Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
        expect(yield* tag(store.ticker("NOPE"))).toBe("UnknownSymbol")
        expect(yield* tag(store.candles({ coin: "NOPE", timeframe: "1h", bars: 1 }))).toBe("UnknownSymbol")
        expect(yield* tag(store.derivatives("USDT"))).toBe("NoData")
        expect(yield* tag(store.priceAt({ coin: "SUI", time: Date.parse("2022-01-01") }))).toBe("NoData")
        expect(yield* tag(store.krwHistory({ coin: "DAI", from: now - dayMs, to: now, stepMs: hourMs }))).toBe("NoData")
        expect(yield* tag(store.indexHistory({ index: "NOPE", bars: 1 }))).toBe("UnknownSymbol")
        const equities = yield* EquityMarkets
        expect(yield* tag(equities.quote("NOPE"))).toBe("UnknownSymbol")
      }))

    it.effect("agrees with itself: ticker, price, candles and the open interest's record", () =>
      Effect.gen(function*() {
        yield* atNow
        const store = yield* MarketStore
        const ticker = yield* store.ticker("SOL")
        expect((yield* store.priceAt({ coin: "SOL", time: now })).price).toBe(ticker.price)
        const [open] = yield* store.candles({ coin: "SOL", timeframe: "5m", bars: 1 })
        expect(open!.close).toBe(ticker.price)
        const record = yield* store.derivatives("SOL")
        expect(record.time).toBe(Math.floor(now / durationMs["5m"]) * durationMs["5m"])
        const [same] = yield* store.derivativesHistory({
          coin: "SOL",
          from: record.time,
          to: record.time + 1,
          stepMs: durationMs["5m"]
        })
        expect(same).toEqual(record)
        const history = yield* store.krwHistory({ coin: "SOL", from: now - 2 * dayMs, to: now, stepMs: hourMs })
        expect(history).toHaveLength(48)
      }))
  })

  it.layer(SimMarket.layer({ seed: "store" }))("and EquityMarkets", (it) => {
    it.effect("share one world", () =>
      Effect.gen(function*() {
        yield* atNow
        const store = yield* MarketStore
        const equities = yield* EquityMarkets
        const stored = (yield* store.stockQuotes("US")).find(({ symbol }) => symbol === "AAPL")
        expect(yield* equities.quote("AAPL")).toEqual(stored)
        const { candles } = yield* equities.history({ symbol: "AAPL", timeframe: "1d", bars: 1 })
        expect(candles[0]!.close).toBe(stored!.price)
        expect(yield* equities.stocks("KR")).toHaveLength(60)
        expect((yield* equities.market("KR")).foreignNetKrw).not.toBeNull()
      }))
  })
})
