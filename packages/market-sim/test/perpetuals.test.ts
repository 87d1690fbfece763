import { dayMs, durationMs, hourMs } from "@tapeline/core/market"
import { describe, expect, it } from "vitest"
import { getFutureExpiries } from "../src/coin/Derivatives.ts"
import { makeOrderBook } from "../src/coin/orderBook.ts"
import { makeWorld } from "../src/world.ts"
import { scaleRuns } from "./support/counts.ts"
import { computeAutocorrelation, computeCorrelation, computeMean } from "./support/statistics.ts"

const world = makeWorld("perpetuals")
const now = Date.parse("2026-11-20T10:00Z")
const bucket = durationMs["5m"]
const coins = ["BTC", "SOL", "DOGE"]

describe("funding", () => {
  it("correlates with momentum", () => {
    for (const coin of coins) {
      const market = world.coin(coin)!
      const times = Array.from({ length: 300 }, (_, i) => now - i * dayMs)
      const link = computeCorrelation(
        times.map((time) => world.derivatives.fundingRate(market, time)),
        times.map((time) => Math.log(market.price(time) / market.price(time - 3 * dayMs)))
      )
      expect(link).toBeGreaterThan(0.5)
    }
  })

  it("is paid every eight hours, near its interest component, sometimes below 0", () => {
    const prints = world.derivatives.fundingPayments(world.coin("BTC")!, now - 300 * dayMs, now)
    expect(prints).toHaveLength(900)
    expect(prints.every(({ time }) => time % (8 * hourMs) === 0)).toBe(true)
    const rates = prints.map(({ fundingRate }) => fundingRate)
    expect(computeMean(rates)).toBeGreaterThan(0)
    expect(computeMean(rates)).toBeLessThan(0.0003)
    expect(rates.some((rate) => rate < 0)).toBe(true)
  })

  it("correlates with the basis", () => {
    const market = world.coin("ETH")!
    const points = Array.from({ length: 200 }, (_, i) => world.derivatives.point(market, now - i * dayMs))
    expect(computeCorrelation(
      points.map(({ fundingRate }) => fundingRate),
      points.map(({ markPrice, indexPrice }) => markPrice / indexPrice - 1)
    )).toBeGreaterThan(0.7)
  })

  it("differs a little between venues", () => {
    const venues = world.derivatives.fundingByVenue(world.coin("BTC")!, now)
    expect(venues.map(({ venue }) => venue)).toEqual(["binance", "bybit", "hyperliquid", "okx"])
    for (const { nextFundingAt, intervalHours } of venues) {
      expect(nextFundingAt).toBeGreaterThan(now)
      expect(nextFundingAt).toBeLessThanOrEqual(now + intervalHours * hourMs)
    }
  })
})

describe("liquidations", () => {
  const days = Math.max(40, scaleRuns(200))
  const series = (coin: string): ReadonlyArray<number> =>
    Array.from(
      { length: days * 288 },
      (_, i) => world.liquidations.bucketUsd(world.coin(coin)!, now - (i + 1) * bucket)
    )
      .toReversed()

  it("cluster in time, and are concentrated in few buckets", () => {
    for (const coin of coins) {
      const logs = series(coin).map((usd) => Math.log(usd + 1))
      expect(computeAutocorrelation(logs, 1)).toBeGreaterThan(0.3)
      expect(computeAutocorrelation(logs, 6)).toBeGreaterThan(0.15)
      const sorted = [...series(coin)].sort((a, b) => b - a)
      const total = sorted.reduce((sum, usd) => sum + usd, 0)
      const top = sorted.slice(0, Math.ceil(sorted.length / 100)).reduce((sum, usd) => sum + usd, 0)
      expect(top / total).toBeGreaterThan(0.25)
    }
  })

  it("hit longs in falls and shorts in rises, at prices of their candle", () => {
    const market = world.coin("SOL")!
    const moves = market.findMoves("1h", now - 200 * dayMs, now, 0.03)
    expect(moves.length).toBeGreaterThan(5)
    let right = 0
    for (const move of moves) {
      const tape = world.liquidations.tape(market, move.time, move.endAt, 0, 10_000)
      if (move.change < 0 ? tape.longUsd > tape.shortUsd : tape.shortUsd > tape.longUsd) right++
      const [candle] = market.candles("1h", move.time, move.time + 1, now)
      for (const { price } of tape.events) {
        expect(price).toBeLessThanOrEqual(candle!.high)
        expect(price).toBeGreaterThanOrEqual(candle!.low)
      }
    }
    expect(right / moves.length).toBeGreaterThan(0.85)
  })

  it("are the same in a short, a long and a limited query", () => {
    const market = world.coin("BTC")!
    const all = world.liquidations.tape(market, now - dayMs, now, 0, 1_000_000)
    const hour = world.liquidations.tape(market, now - hourMs, now, 0, 1_000_000)
    expect(all.events.filter(({ time }) => time >= now - hourMs)).toEqual(hour.events)
    const limitedTape = world.liquidations.tape(market, now - dayMs, now, 10_000, 20)
    const large = all.events.filter(({ sizeUsd }) => sizeUsd >= 10_000)
    expect(limitedTape.events).toEqual(large.slice(-20))
    expect(limitedTape.count).toBe(large.length)
    expect(limitedTape.truncated).toBe(large.length > 20)
    expect(hour.longUsd + hour.shortUsd).toBeCloseTo(hour.events.reduce((sum, { sizeUsd }) => sum + sizeUsd, 0), 4)
    const buckets = Array.from({ length: 12 }, (_, i) => world.liquidations.bucketUsd(market, now - (i + 1) * bucket))
    expect(hour.longUsd + hour.shortUsd).toBeCloseTo(buckets.reduce((sum, usd) => sum + usd, 0), -1)
  })

  it("reduce open interest over the hours with the most liquidations", () => {
    for (const coin of coins) {
      const market = world.coin(coin)!
      const hours = Array.from({ length: days * 24 }, (_, i) => now - (i + 1) * hourMs)
      const usdOf = (hour: number): number => {
        let usd = 0
        for (let time = hour; time < hour + hourMs; time += bucket) usd += world.liquidations.bucketUsd(market, time)
        return usd
      }
      const worst = hours.map((hour) => ({ hour, usd: usdOf(hour) })).sort((a, b) => b.usd - a.usd).slice(0, 8)
      const changes = worst.map(({ hour }) =>
        Math.log(world.derivatives.openInterest(market, hour + hourMs) / world.derivatives.openInterest(market, hour))
      )
      expect(computeMean(changes)).toBeLessThan(-0.01)
    }
  })
})

describe("futures", () => {
  it("expire at 08:00 UTC on last Fridays, and have prices near the index", () => {
    expect(getFutureExpiries(now).map((time) => new Date(time).toISOString())).toEqual([
      "2026-11-27T08:00:00.000Z",
      "2026-12-25T08:00:00.000Z",
      "2027-03-26T08:00:00.000Z",
      "2027-06-25T08:00:00.000Z"
    ])
    const futures = world.derivatives.futures(world.coin("BTC")!, now)
    expect(futures[0]!.instrument).toBe("BTC-27NOV26")
    for (const { price, indexPrice } of futures) expect(Math.abs(price / indexPrice - 1)).toBeLessThan(0.2)
    expect(world.derivatives.futures(world.coin("PEPE")!, now)).toEqual([])
  })
})

describe("order book", () => {
  it("never crosses, is sorted, contains the price, and is at least 1 % deep", () => {
    for (const { coin } of world.coins) {
      const market = world.coin(coin)!
      for (let i = 0; i < scaleRuns(50); i++) {
        const time = now - i * 7_777_777
        const { bids, asks } = makeOrderBook(market, time, world.getKey(`book ${coin}`))
        const price = market.price(time)
        expect(bids[0]!.price).toBeLessThan(asks[0]!.price)
        expect(bids[0]!.price).toBeLessThanOrEqual(price)
        expect(asks[0]!.price).toBeGreaterThanOrEqual(price)
        for (let level = 1; level < bids.length; level++) {
          expect(bids[level]!.price).toBeLessThan(bids[level - 1]!.price)
        }
        for (let level = 1; level < asks.length; level++) {
          expect(asks[level]!.price).toBeGreaterThan(asks[level - 1]!.price)
        }
        expect(bids.at(-1)!.price).toBeLessThan(price * 0.99)
        expect(asks.at(-1)!.price).toBeGreaterThan(price * 1.01)
        expect([...bids, ...asks].every(({ size }) => size > 0)).toBe(true)
      }
    }
  })
})
