/**
 * Differential test against TA-Lib (talib-web, its C code in WebAssembly), which has different conventions.
 *
 * - talib-web puts the first value at index 0 and pads the end with zeros.
 * - RSI of a series that never moves, and a stochastic over a range of 0, are 0 in TA-Lib and 50 in this package.
 * - TA-Lib starts the k of a stochastic at the index of d.
 * - talib-web 0.1.3 returns zeros for STOCH, so k and d are compared with TA-Lib's SMAs of its WILLR + 100.
 * - The MACD of talib-web with a signal period of 1 begins with an unwritten value.
 * - TA-Lib's variance is the difference of two means of squares, so Bollinger bands agree only to 1e-7 of the price.
 * - talib-web 0.1.3 takes the square root of only the first n - 1 variances in STDDEV, which spoils later outer bands.
 * - In ADX, TA-Lib treats sums below 1e-14 as zero.
 */
import {
  adx,
  atr,
  bollinger,
  correlation,
  drawBelow,
  ema,
  macd,
  momentum,
  roc,
  rollingMax,
  rollingMin,
  rsi,
  seededRandom,
  sma,
  stochastic,
  trueRange
} from "@tapeline/quant"
import { createRequire } from "node:module"
import type * as TaLib from "talib-web"
import { beforeAll, describe, expect, it } from "vitest"
import { expectClose } from "./expectClose.ts"
import { scaleRuns, seed } from "./propertyTesting.ts"
import { randomBars } from "./randomBars.ts"

const require = createRequire(import.meta.url)
let talib: typeof TaLib

beforeAll(async () => {
  // If there is a global fetch, the loader of TA-Lib assumes a browser and requests its file over the network.
  const { fetch } = globalThis
  Reflect.deleteProperty(globalThis, "fetch")
  talib = require("talib-web")
  await talib.init(require.resolve("talib-web/lib/talib.wasm"))
  globalThis.fetch = fetch
})

/** Moves the values of TA-Lib to the indices of their bars. */
function shiftToFirst(output: ArrayLike<number>, first: number): Float64Array {
  const out = new Float64Array(output.length).fill(NaN)
  for (let i = first; i < out.length; i++) out[i] = output[i - first]!
  return out
}

function draw(random: () => number) {
  const length = 80 + drawBelow(320, random)
  const { high, low, close } = randomBars(random, length)
  const scale = Math.max(...high)
  const n = 2 + drawBelow(30, random)
  const k = 0.5 + random() * 3
  const fast = 2 + drawBelow(12, random)
  const slow = fast + 1 + drawBelow(15, random)
  const signal = 2 + drawBelow(9, random)
  const inScale = (label: string, actual: Float64Array, expected: Float64Array, tolerance: number): void =>
    expectClose(label, actual.map((x) => x / scale), expected.map((x) => x / scale), tolerance)
  return { length, high, low, close, n, timePeriod: n, k, fast, slow, signal, inScale }
}
type RandomInput = ReturnType<typeof draw>

function compareWindows({ high, low, close, n, timePeriod, inScale }: RandomInput): void {
  inScale("sma", sma(close, n), shiftToFirst(talib.SMA({ inReal: close, timePeriod }).output, n - 1), 1e-12)
  inScale("ema", ema(close, n), shiftToFirst(talib.EMA({ inReal: close, timePeriod }).output, n - 1), 1e-12)
  expectClose(
    "rsi",
    rsi(close, n),
    shiftToFirst(talib.RSI({ inReal: close, timePeriod }).output, n),
    1e-8,
    close.findIndex((price) => price !== close[0])
  )
  inScale("trueRange", trueRange(high, low, close), shiftToFirst(talib.TRANGE({ high, low, close }).output, 1), 1e-13)
  inScale("atr", atr(high, low, close, n), shiftToFirst(talib.ATR({ high, low, close, timePeriod }).output, n), 1e-12)
  inScale("momentum", momentum(close, n), shiftToFirst(talib.MOM({ inReal: close, timePeriod }).output, n), 1e-13)
  expectClose("roc", roc(close, n), shiftToFirst(talib.ROC({ inReal: close, timePeriod }).output, n), 1e-9)
  inScale("max", rollingMax(close, n), shiftToFirst(talib.MAX({ inReal: close, timePeriod }).output, n - 1), 0)
  inScale("min", rollingMin(close, n), shiftToFirst(talib.MIN({ inReal: close, timePeriod }).output, n - 1), 0)
}

function compareBands({ close, n, timePeriod, k, inScale }: RandomInput): void {
  const bands = bollinger(close, n, k)
  const middle = shiftToFirst(talib.SMA({ inReal: close, timePeriod }).output, n - 1)
  const deviation = shiftToFirst(talib.VAR({ inReal: close, timePeriod, nbDev: 1 }).output, n - 1).map((x) =>
    k * Math.sqrt(Math.max(0, x))
  )
  inScale("bollinger.middle", bands.middle, middle, 1e-12)
  inScale("bollinger.upper", bands.upper, middle.map((x, i) => x + deviation[i]!), 1e-6)
  inScale("bollinger.lower", bands.lower, middle.map((x, i) => x - deviation[i]!), 1e-6)
  const theirBands = talib.BBANDS({ inReal: close, timePeriod, nbDevUp: k, nbDevDn: k })
  const filled = 2 * n - 2
  inScale(
    "BBANDS upper",
    bands.upper.slice(0, filled),
    shiftToFirst(theirBands.upperBand, n - 1).slice(0, filled),
    1e-6
  )
  inScale(
    "BBANDS lower",
    bands.lower.slice(0, filled),
    shiftToFirst(theirBands.lowerBand, n - 1).slice(0, filled),
    1e-6
  )
}

function compareMacd({ close, fast, slow, signal, inScale }: RandomInput): void {
  const ownMacd = macd(close, fast, slow, signal)
  const referenceMacd = talib.MACD({ inReal: close, fastPeriod: fast, slowPeriod: slow, signalPeriod: signal })
  const first = slow + signal - 2
  inScale("macd.line", ownMacd.line, shiftToFirst(referenceMacd.MACD, first), 1e-12)
  inScale("macd.signal", ownMacd.signal, shiftToFirst(referenceMacd.MACDSignal, first), 1e-12)
  inScale("macd.histogram", ownMacd.histogram, shiftToFirst(referenceMacd.MACDHist, first), 1e-12)
}

function compareMovement({ high, low, close, n, timePeriod }: RandomInput): void {
  const movement = adx(high, low, close, n)
  expectClose("plusDi", movement.plusDi, shiftToFirst(talib.PLUS_DI({ high, low, close, timePeriod }).output, n), 1e-8)
  expectClose(
    "minusDi",
    movement.minusDi,
    shiftToFirst(talib.MINUS_DI({ high, low, close, timePeriod }).output, n),
    1e-8
  )
  expectClose("adx", movement.adx, shiftToFirst(talib.ADX({ high, low, close, timePeriod }).output, 2 * n - 1), 1e-7)
}

function compareStochastic({ length, high, low, close, n, timePeriod }: RandomInput): void {
  const { k: slowK, d: slowD } = stochastic(high, low, close, n, 3, 3)
  const flat = high.some((_, i) =>
    i >= n - 1 && Math.max(...high.slice(i - n + 1, i + 1)) === Math.min(...low.slice(i - n + 1, i + 1))
  )
  if (flat) return
  const raw = Array.from(talib.WILLR({ high, low, close, timePeriod }).output, (x) => x + 100).slice(
    0,
    length - n + 1
  )
  const theirK = Array.from(talib.SMA({ inReal: raw, timePeriod: 3 }).output).slice(0, raw.length - 2)
  const theirD = Array.from(talib.SMA({ inReal: theirK, timePeriod: 3 }).output).slice(0, theirK.length - 2)
  expectClose("stochastic.k", slowK.slice(n + 1), theirK, 1e-8)
  expectClose("stochastic.d", slowD.slice(n + 3), theirD, 1e-8)
}

function compareCorrelation({ length, close }: RandomInput, other: number[]): void {
  const correlations = shiftToFirst(
    talib.CORREL({ inReal0: close, inReal1: other, timePeriod: length }).output,
    length - 1
  )
  expectClose("correlation", [correlation(close, other)!], [correlations[length - 1]!], 1e-5)
}

describe("comparison with TA-Lib", () => {
  it("agrees for every shared indicator on random series", () => {
    const random = seededRandom(seed)
    for (let run = 0; run < scaleRuns(3000); run++) {
      const input = draw(random)
      compareWindows(input)
      compareBands(input)
      compareMacd(input)
      compareMovement(input)
      compareStochastic(input)
      compareCorrelation(input, randomBars(random, input.length).close)
    }
    expect(scaleRuns(3000)).toBeGreaterThan(0)
  }, 120_000)

  it("differs for a constant series as documented", () => {
    const flat = Array.from({ length: 30 }, () => 7)
    expect(talib.RSI({ inReal: flat, timePeriod: 5 }).output[0]).toBe(0)
    expect(rsi(flat, 5)[5]).toBe(50)
    expect(stochastic(flat, flat, flat, 5, 3, 3).k[10]).toBe(50)
  })
})
