import { assert, describe, expect, it } from "@effect/vitest"
import { ToolCaller } from "@tapeline/core"
import { dayMs, hourMs, lastInterbankTime, minuteMs, weekMs } from "@tapeline/core/market"
import { getKimchiPremium } from "@tapeline/core/specifications"
import { isFullRun } from "@tapeline/testing/fullRun"
import { makePayer, principal } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { SimMarket } from "../src/index.ts"
import { krwExchanges } from "../src/korea/listingRotation.ts"
import { makeWorld } from "../src/world.ts"
import { makePropertyOptions } from "./support/counts.ts"
import { layerEngineOver } from "./support/engine.ts"
import { computeAutocorrelation, computeMean } from "./support/statistics.ts"

const world = makeWorld("korea")
const now = Date.parse("2026-11-20T10:00Z")
const anyTime = fc.integer({ min: Date.parse("2021-01-01"), max: Date.parse("2028-01-01") })

const premium = (coin: string, time: number): number => {
  const point = world.korea.getPoint(world.coin(coin)!, "upbit", time)!
  return point.krwPrice / (point.usdtPrice * point.usdKrw) - 1
}

describe("kimchi premium", () => {
  it("is the product of its two parts, plus 1", () => {
    fc.assert(
      fc.property(anyTime, fc.constantFrom("BTC", "XRP", "DOGE", "USDT"), (time, coin) => {
        const point = world.korea.getPoint(world.coin(coin)!, "upbit", time)!
        const currency = point.usdtKrw / point.usdKrw
        const asset = point.krwPrice / (point.usdtPrice * point.usdtKrw)
        expect(currency * asset).toBeCloseTo(1 + premium(coin, time), 12)
        expect(point.usdtKrw).toBe(world.exchangeRate.getUsdtKrw(time))
        expect(point.usdKrw).toBe(world.exchangeRate.getUsdKrw(time))
        if (coin === "USDT") expect(asset).toBe(1)
      }),
      makePropertyOptions(300)
    )
  })

  it("reverts to a small mean", () => {
    const daily = Array.from({ length: 400 }, (_, i) => premium("BTC", now - i * dayMs))
    expect(computeMean(daily)).toBeGreaterThan(-0.01)
    expect(computeMean(daily)).toBeLessThan(0.03)
    expect(Math.max(...daily)).toBeLessThan(0.08)
    expect(Math.min(...daily)).toBeGreaterThan(-0.05)
    expect(computeAutocorrelation(daily, 1)).toBeGreaterThan(0.4)
    expect(Math.abs(computeAutocorrelation(daily, 60))).toBeLessThan(0.35)
  })
})

describe("listings", () => {
  it("are two in any two days, of different coins and on different exchanges", () => {
    fc.assert(
      fc.property(anyTime, (time) => {
        const listings = world.korea.getListings(time - 2 * dayMs + 1, time + 1, time)
        expect(listings).toHaveLength(2)
        expect(new Set(listings.map(({ coin }) => coin)).size).toBe(2)
        expect(new Set(listings.map(({ exchange }) => exchange)).size).toBe(2)
        for (const { coin, delistedAt, exchange, listedAt } of listings) {
          const market = world.coin(coin)!
          expect(delistedAt).toBeNull()
          expect(world.korea.getListingTime(market, exchange, time)).toBe(listedAt)
          expect(world.korea.getPoint(market, exchange, listedAt - 1)).toBeUndefined()
        }
      }),
      makePropertyOptions(200)
    )
  })

  it.effect.runIf(isFullRun)(
    "include at least two that get_kimchi_premium marks as new, at any time",
    () =>
      Effect.gen(function*() {
        const caller = yield* ToolCaller
        for (const time of fc.sample(anyTime, { numRuns: isFullRun ? 300 : 10, seed: 7 })) {
          yield* TestClock.setTime(time)
          const { data: { rows } } = yield* caller.call(getKimchiPremium, {
            principal,
            arguments: {},
            payer: makePayer()
          })
          assert.isAtLeast(rows.filter((row) => row.is_new_listing).length, 2, new Date(time).toISOString())
        }
      }).pipe(Effect.provide(layerEngineOver(SimMarket.layer({ seed: "korea" }))))
  )

  it("are open until their delisting time, before and after coins join the rotation", () => {
    for (
      let time = Date.parse("2020-03-01T03:00Z");
      time < Date.parse("2024-12-01");
      time += (isFullRun ? 19 : 67) * hourMs
    ) {
      for (
        const { coin, delistedAt, exchange, listedAt } of world.korea.getListings(time - 12 * dayMs, time + 1, time)
      ) {
        const open = world.korea.getListingTime(world.coin(coin)!, exchange, time) === listedAt
        expect(open).toBe(delistedAt === null)
      }
    }
  })

  it("open far above the world price and come down within days", () => {
    const listings = world.korea.getListings(now - 40 * weekMs, now - 2 * weekMs)
    const above = (ageMs: number): number =>
      computeMean(listings.map(({ coin, exchange, listedAt }) => {
        const point = world.korea.getPoint(world.coin(coin)!, exchange, listedAt + ageMs)!
        return point.krwPrice / (point.usdtPrice * point.usdtKrw) - 1
      }))
    expect(above(10 * minuteMs)).toBeGreaterThan(0.2)
    expect(above(12 * hourMs)).toBeLessThan(above(10 * minuteMs) / 2)
    expect(Math.abs(above(6 * dayMs))).toBeLessThan(0.02)
  })

  it("are among the open markets", () => {
    const tickers = world.korea.getTickers(now)
    for (const { coin, exchange } of world.korea.getListings(now - weekMs, now)) {
      expect(tickers.some((ticker) => ticker.coin === coin && ticker.exchange === exchange)).toBe(true)
    }
    expect(new Set(tickers.map(({ exchange }) => exchange))).toEqual(new Set(krwExchanges))
    for (const { change24hPct, listedAt } of tickers) expect(change24hPct === null).toBe(now - listedAt! < dayMs)
    expect(tickers.some(({ change24hPct }) => change24hPct === null)).toBe(true)
    expect(tickers.every(({ krwPrice, volume24hKrw }) => krwPrice > 0 && volume24hKrw >= 0)).toBe(true)
  })
})

describe("the USD/KRW rate", () => {
  it("does not change from Friday 17:00 to Sunday 17:00 in New York, with or without daylight saving time", () => {
    for (
      const [friday, sunday] of [["2026-11-20T22:00Z", "2026-11-22T22:00Z"], ["2026-07-10T21:00Z", "2026-07-12T21:00Z"]]
    ) {
      const fridayTime = Date.parse(friday!)
      const opened = Date.parse(sunday!)
      expect(lastInterbankTime(fridayTime - 1)).toBe(fridayTime - 1)
      expect(lastInterbankTime(fridayTime + 5 * hourMs)).toBe(fridayTime)
      expect(lastInterbankTime(opened - 1)).toBe(fridayTime)
      expect(lastInterbankTime(opened + 1)).toBe(opened + 1)
      expect(world.exchangeRate.getUsdKrw(fridayTime + 20 * hourMs)).toBe(world.exchangeRate.getUsdKrw(fridayTime))
      expect(world.exchangeRate.getUsdtKrw(fridayTime + 20 * hourMs)).not.toBe(
        world.exchangeRate.getUsdtKrw(fridayTime)
      )
    }
    // New York leaves daylight saving time in the tested week: trading pauses from 21:00 to 22:00 UTC.
    expect(lastInterbankTime(Date.parse("2026-11-01T21:59Z"))).toBe(Date.parse("2026-10-30T21:00Z"))
  })

  it("stays in a plausible range", () => {
    for (let i = 0; i < 300; i++) {
      const rate = world.exchangeRate.getUsdKrw(now - i * 3 * dayMs)
      expect(rate).toBeGreaterThan(1_050)
      expect(rate).toBeLessThan(1_750)
    }
  })
})
