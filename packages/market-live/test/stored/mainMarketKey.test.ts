import { hourMs, minuteMs } from "@tapeline/core/market"
import { describe, expect, it } from "vitest"
import { mainMarketKey } from "../../src/stored/krwMarketsNow.ts"

const now = Date.parse("2026-11-20T15:33:22.517Z")

const choose = (upbit: readonly [ageMs: number, volume: number], bithumb: readonly [ageMs: number, volume: number]) =>
  mainMarketKey(
    new Map(
      ([["upbit:XRP", upbit], ["bithumb:XRP", bithumb]] as const).map(([key, [ageMs, volume24hKrw]]) =>
        [key, { fetchedAt: now - ageMs, volume24hKrw }] as const
      )
    ),
    () => false,
    now
  )

describe("mainMarketKey", () => {
  it("chooses the open market with the largest volume", () => {
    expect(choose([2 * minuteMs, 5], [minuteMs, 4])).toBe("upbit:XRP")
    expect(choose([5 * hourMs, 5], [minuteMs, 4])).toBe("bithumb:XRP")
  })

  it("chooses the market that traded last if no market is open", () => {
    expect(choose([50 * hourMs, 5], [20 * hourMs, 4])).toBe("bithumb:XRP")
  })

  it("chooses the market with the largest volume if several stopped at about the same time", () => {
    expect(choose([20 * hourMs + minuteMs, 5], [20 * hourMs, 4])).toBe("upbit:XRP")
  })
})
