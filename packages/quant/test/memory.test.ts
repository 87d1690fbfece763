/**
 * An indicator allocates its output and nothing else that grows with the input: array buffers are counted as they are made, and
 * the heap is compared before and after.
 */
import { adx, atr, bollinger, ema, macd, momentum, rangePosition, roc, rollingMax, rsi, seededRandom, sma, stochastic, trueRange, vwap, vwapBands, wilder, zScores } from "@tapeline/quant"
import { describe, expect, it } from "vitest"
import { randomBars } from "./series.ts"

const length = 100_000
const bars = Object.fromEntries(
  Object.entries(randomBars(seededRandom(1), length)).map(([key, x]) => [key, Float64Array.from(x as number[])])
) as Record<"open" | "high" | "low" | "close" | "volume", Float64Array>
const { high, low, close, volume } = bars

const indicators: ReadonlyArray<readonly [name: string, outputs: number, run: () => unknown]> = [
  ["sma", 1, () => sma(close, 20)],
  ["ema", 1, () => ema(close, 20)],
  ["wilder", 1, () => wilder(close, 20)],
  ["rsi", 1, () => rsi(close, 14)],
  ["macd", 3, () => macd(close, 12, 26, 9)],
  ["trueRange", 1, () => trueRange(high, low, close)],
  ["atr", 1, () => atr(high, low, close, 14)],
  ["momentum", 1, () => momentum(close, 10)],
  ["roc", 1, () => roc(close, 10)],
  ["bollinger", 3, () => bollinger(close, 20, 2)],
  ["stochastic", 2, () => stochastic(high, low, close)],
  ["adx", 3, () => adx(high, low, close)],
  ["rollingMax", 1, () => rollingMax(high, 50)],
  ["rangePosition", 1, () => rangePosition(high, low, close, 50)],
  ["vwap", 1, () => vwap(high, low, close, volume)],
  ["vwapBands", 4, () => vwapBands(high, low, close, volume)],
  ["zScores", 1, () => zScores(close, 30)]
]

describe("memory", () => {
  it.each(indicators)("%s allocates its %i output series and no more", (_, outputs, run) => {
    run()
    const before = process.memoryUsage()
    const result = run()
    const after = process.memoryUsage()
    expect(result).toBeDefined()
    // Buffers: the outputs, and rings as long as a window. Collections in between only lower the count.
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThanOrEqual(outputs * length * 8 + 4096)
    // Heap: nothing of the input's size, which would be 800 kB a series.
    expect(after.heapUsed - before.heapUsed).toBeLessThan(400_000)
  })
})
