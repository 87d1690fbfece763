import { dayMs } from "@tapeline/core/market"
import { isFullRun } from "@tapeline/testing/fullRun"
import fc from "fast-check"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { coinSpecs } from "../src/coin/coins.ts"
import { BoundedCache } from "../src/kernel/cache.ts"
import { makeWorld } from "../src/world.ts"
import { makePropertyOptions } from "./support/counts.ts"

const run = promisify(execFile)
const script = fileURLToPath(new URL("./support/print.ts", import.meta.url))
const digest = async (seed: string, order: string): Promise<string> =>
  (await run(process.execPath, [script, seed, order])).stdout

describe("the same seed", () => {
  it.runIf(isFullRun)(
    "gives the same bytes in two processes, for any order of queries and any cache size",
    async () => {
      const [one, other] = await Promise.all([digest("bytes", "forward"), digest("bytes", "backward")])
      expect(one).toMatch(/^[0-9a-f]{64}$/)
      expect(other).toBe(one)
      expect(await digest("other bytes", "forward")).not.toBe(one)
    }
  )

  it("gives other prices than another seed", () => {
    const pricesOf = (seed: string) => makeWorld(seed).markets.map((market) => market.price(Date.parse("2026-11-20")))
    expect(pricesOf("bytes")).toEqual(pricesOf("bytes"))
    for (const [i, price] of pricesOf("other bytes").entries()) expect(price).not.toBe(pricesOf("bytes")[i])
  })

  it("gives the same candle in a query of one candle and in a longer query", () => {
    const long = makeWorld("alone")
    fc.assert(
      fc.property(
        fc.constantFrom(...coinSpecs.map(({ coin }) => coin)),
        fc.integer({ min: Date.parse("2024-06-01"), max: Date.parse("2028-01-01") }),
        fc.constantFrom("5m" as const, "15m" as const, "1h" as const, "4h" as const, "1d" as const),
        (coin, time, timeframe) => {
          const recentCandles = long.coin(coin)!.lastCandles(timeframe, 20, time)
          const fresh = makeWorld("alone", 2).coin(coin)!
          for (const candle of [recentCandles[3]!, recentCandles[19]!, recentCandles[0]!]) {
            expect(fresh.candles(timeframe, candle.time, candle.time + 1, time)).toEqual([candle])
          }
        }
      ),
      makePropertyOptions(100)
    )
  })
})

describe("the cache", () => {
  it("holds a bounded number of entries", () => {
    const cache = new BoundedCache<number>(100)
    for (let i = 0; i < 10_000; i++) expect(cache.get(i, () => i * 2)).toBe(i * 2)
    expect(cache.size).toBeLessThanOrEqual(100)
    expect(cache.get(9_999, () => -1)).toBe(19_998)
    expect(cache.get(1, () => -1)).toBe(-1)
  })

  it("returns the same candles after a query at a later instant", () => {
    const world = makeWorld("later")
    const market = world.coin("BTC")!
    const now = Date.parse("2026-03-03T03:03:03Z")
    const before = JSON.stringify(market.lastCandles("1d", 5, now))
    market.lastCandles("1d", 5, now + 9 * dayMs)
    expect(JSON.stringify(market.lastCandles("1d", 5, now))).toBe(before)
  })
})
