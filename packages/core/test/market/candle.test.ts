import { describe, expect, it } from "vitest"
import { type Candle, mergeCandles } from "../../src/market/candle.ts"
import { bucketStart, durationMs, timeframes } from "../../src/market/timeframe.ts"

const candle = (over: Partial<Candle>): Candle => ({
  time: 0,
  open: 10,
  high: 12,
  low: 9,
  close: 11,
  volume: 4,
  quoteVolume: 42,
  takerBuyVolume: 3,
  closed: true,
  ...over
})

describe("timeframes", () => {
  it("divide the next longer timeframe", () => {
    for (let i = 1; i < timeframes.length; i++) {
      expect(durationMs[timeframes[i]!] % durationMs[timeframes[i - 1]!]).toBe(0)
    }
  })

  it("start at boundaries of UTC time, weeks on Monday", () => {
    const time = Date.parse("2026-11-20T10:03:22.517Z")
    const start = (timeframe: Parameters<typeof bucketStart>[0]) => new Date(bucketStart(timeframe, time)).toISOString()
    expect(start("5m")).toBe("2026-11-20T10:00:00.000Z")
    expect(start("4h")).toBe("2026-11-20T08:00:00.000Z")
    expect(start("1d")).toBe("2026-11-20T00:00:00.000Z")
    expect(start("1w")).toBe("2026-11-16T00:00:00.000Z")
    expect(bucketStart("1w", bucketStart("1w", time))).toBe(bucketStart("1w", time))
    expect(bucketStart("1w", bucketStart("1w", time) - 1)).toBe(bucketStart("1w", time) - durationMs["1w"])
  })
})

describe("mergeCandles", () => {
  it("takes the first open, the last close, the extremes and the sums", () => {
    const parts = [
      candle({}),
      candle({ time: 1, open: 11, high: 15, low: 10, close: 14 }),
      candle({ time: 2, open: 14, high: 14, low: 7, close: 8 })
    ] as const
    expect(mergeCandles(0, parts, false)).toEqual({
      time: 0,
      open: 10,
      high: 15,
      low: 7,
      close: 8,
      volume: 12,
      quoteVolume: 126,
      takerBuyVolume: 9,
      closed: false
    })
  })

  it("returns a single candle unchanged", () => {
    expect(mergeCandles(0, [candle({})], true)).toEqual(candle({}))
  })
})
