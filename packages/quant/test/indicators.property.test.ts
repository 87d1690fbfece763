import {
  adx,
  atr,
  bollinger,
  divergences,
  ema,
  fibonacci,
  macd,
  mergeLevels,
  momentum,
  pivots,
  rangePosition,
  roc,
  rollingMax,
  rsi,
  seededRandom,
  sma,
  stochastic,
  swings,
  trueRange,
  volumeProfile,
  vwap,
  vwapBands,
  wilder,
  zScores
} from "@tapeline/quant"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assertHolds, assertNear, findCounterexample } from "./propertyTesting.ts"
import { type Bars, eachColumn, randomBars } from "./randomBars.ts"

const bars = fc.tuple(fc.integer(), fc.integer({ min: 1, max: 400 })).map(([seed, length]) =>
  randomBars(seededRandom(seed), length)
)
const n = fc.integer({ min: 1, max: 30 })
const all = (result: object): ReadonlyArray<Float64Array> => Object.values(result)

type Columns = { readonly [Name in keyof Bars]: ArrayLike<number> }

/**
 * Returns the series of each indicator for given bars and a period, and whether the indicator scales with the prices.
 */
const indicators: Record<
  string,
  { readonly compute: (b: Columns, n: number) => ReadonlyArray<Float64Array>; readonly scales: boolean }
> = {
  sma: { compute: (b, p) => [sma(b.close, p)], scales: true },
  ema: { compute: (b, p) => [ema(b.close, p)], scales: true },
  wilder: { compute: (b, p) => [wilder(b.close, p)], scales: true },
  rsi: { compute: (b, p) => [rsi(b.close, p)], scales: false },
  macd: { compute: (b, p) => all(macd(b.close, p, p + 7, 5)), scales: true },
  trueRange: { compute: (b) => [trueRange(b.high, b.low, b.close)], scales: true },
  atr: { compute: (b, p) => [atr(b.high, b.low, b.close, p)], scales: true },
  momentum: { compute: (b, p) => [momentum(b.close, p)], scales: true },
  roc: { compute: (b, p) => [roc(b.close, p)], scales: false },
  bollinger: { compute: (b, p) => all(bollinger(b.close, p, 2)), scales: true },
  stochastic: { compute: (b, p) => all(stochastic(b.high, b.low, b.close, p, 3, 3)), scales: false },
  adx: { compute: (b, p) => all(adx(b.high, b.low, b.close, p + 1)), scales: false },
  rollingMax: { compute: (b, p) => [rollingMax(b.close, p)], scales: true },
  rangePosition: { compute: (b, p) => [rangePosition(b.high, b.low, b.close, p)], scales: false },
  vwap: {
    compute: (b) => [vwap(b.high, b.low, b.close, b.volume, Array.from(b.close, (_, i) => Math.floor(i / 24)))],
    scales: true
  },
  vwapBands: { compute: (b) => all(vwapBands(b.high, b.low, b.close, b.volume, 2)), scales: true },
  zScores: { compute: (b, p) => [zScores(b.close, p + 1)], scales: false }
}

const mapped = (b: Bars, f: (price: number) => number): Bars => ({
  open: b.open.map(f),
  high: b.high.map(f),
  low: b.low.map(f),
  close: b.close.map(f),
  volume: b.volume
})

describe.each(Object.entries(indicators))("%s", (_, { compute, scales }) => {
  it("is as long as its input, with NaN only in the warm-up", () => {
    expect(findCounterexample(
      2000,
      fc.property(bars, n, (b, p) => {
        for (const series of compute(b, p)) {
          assertHolds(series.length === b.close.length, () => "length")
          let i = 0
          while (i < series.length && Number.isNaN(series[i])) i++
          for (; i < series.length; i++) assertHolds(Number.isFinite(series[i]), () => `[${i}] is ${series[i]}`)
        }
      })
    )).toBeUndefined()
  })

  it("does not look ahead: future bars do not change past values", () => {
    expect(findCounterexample(
      2000,
      fc.property(bars, n, fc.double({ min: 0, max: 1, noNaN: true }), (b, p, share) => {
        const knownBars = 1 + Math.floor(share * (b.close.length - 1))
        const other: Bars = mapped(b, (x) => x)
        for (let i = knownBars; i < b.close.length; i++) {
          for (const key of ["open", "high", "low", "close"] as const) other[key][i]! *= 3
        }
        const prefixValues = compute(b, p)
        compute(other, p).forEach((series, j) => {
          for (let i = 0; i < knownBars; i++) {
            assertHolds(
              Object.is(series[i], prefixValues[j]![i]),
              () => `bar ${i} of cut ${knownBars}: ${prefixValues[j]![i]} became ${series[i]}`
            )
          }
        })
      })
    )).toBeUndefined()
  })

  it("scales with the currency", () => {
    expect(findCounterexample(
      1000,
      fc.property(bars, n, fc.integer({ min: -20, max: 20 }), (b, p, power) => {
        // Multiplying by a power of two changes no digits, so the values must be exactly equal.
        const k = 2 ** power
        const scaled = compute(mapped(b, (x) => x * k), p)
        compute(b, p).forEach((series, j) =>
          series.forEach((x, i) =>
            assertHolds(
              Object.is(scaled[j]![i], scales ? x * k : x),
              () => `[${i}] ${x} became ${scaled[j]![i]} at ${k}`
            )
          )
        )
      })
    )).toBeUndefined()
  })

  it("returns equal values for typed and plain arrays", () => {
    expect(findCounterexample(
      200,
      fc.property(bars, n, (b, p) => {
        const baseValues = compute(b, p)
        compute(eachColumn(b, (x) => Float64Array.from(x)), p).forEach((series, j) =>
          assertHolds(series.every((x, i) => Object.is(x, baseValues[j]![i])), () => `series ${j}`)
        )
      })
    )).toBeUndefined()
  })

  it("rejects a gap in its input", () => {
    expect(
      findCounterexample(
        500,
        fc.property(bars, n, fc.nat(), fc.constantFrom(NaN, Infinity, -Infinity), (b, p, at, hole) => {
          // Bar 0 may be missing, because a gap at the beginning may be the warm-up of another indicator.
          const i = 1 + (at % b.close.length)
          if (i >= b.close.length) return
          const swappedRows = mapped(b, (x) => x)
          swappedRows.close[i] = hole
          let message = ""
          try {
            compute(swappedRows, p)
          } catch (error) {
            assertHolds(error instanceof RangeError, () => String(error))
            if (error instanceof Error) message = error.message
          }
          assertHolds(
            message.includes(`[${i}]`) || /too large/.test(message),
            () => `the message does not name the gap at ${i}: ${message}`
          )
        })
      )
    ).toBeUndefined()
  })
})

describe("indicators", () => {
  it("keep oscillators within their bounds", () => {
    expect(findCounterexample(
      3000,
      fc.property(bars, n, (b, p) => {
        const bounded = [
          rsi(b.close, p),
          ...all(stochastic(b.high, b.low, b.close, p)),
          ...all(adx(b.high, b.low, b.close, p + 1)),
          rangePosition(b.high, b.low, b.close, p)
        ]
        bounded.forEach((series, j) =>
          series.forEach((x, i) =>
            assertHolds(
              Number.isNaN(x) || (x >= -1e-9 && x <= 100 + 1e-9 && (j > 0 || (x >= 0 && x <= 100))),
              () => `series ${j}[${i}] is ${x}`
            )
          )
        )
      })
    )).toBeUndefined()
  })

  it("mirror the RSI around 50 for mirrored prices, and shift averages with the prices", () => {
    expect(
      findCounterexample(
        2000,
        fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 200 }), n, (x, p) => {
          const mirroredRsi = rsi(x.map((v) => -v), p)
          const shiftedRsi = rsi(
            x.map((v) => v + 5000),
            p
          )
          rsi(x, p).forEach((v, i) => {
            if (Number.isNaN(v)) return
            assertHolds(Object.is(shiftedRsi[i], v), () => `shifted ${shiftedRsi[i]} for ${v}`)
            assertNear("mirror", mirroredRsi[i]!, 100 - v, 1e-9)
          })
          for (const f of [sma, ema, wilder]) {
            f(x, p).forEach((v, i) => assertNear("shift", f(x.map((y) => y + 5000), p)[i]! - 5000, v, 1e-10, 5000))
          }
        })
      )
    ).toBeUndefined()
  })

  it("make sliding sums equal separate sums of each window, also after shocks", () => {
    const shockedReturns = fc.array(
      fc.oneof({ weight: 9, arbitrary: fc.double({ min: 99, max: 101, noNaN: true }) }, {
        weight: 1,
        arbitrary: fc.constantFrom(1e6, -1e6, 100)
      }),
      { minLength: 1, maxLength: 400 }
    )
    expect(findCounterexample(
      3000,
      fc.property(shockedReturns, n, (x, p) => {
        const mean = sma(x, p)
        const { upper, middle } = bollinger(x, p, 1)
        const z = zScores(x, p + 1)
        for (let i = p - 1; i < x.length; i++) {
          const window = x.slice(i - p + 1, i + 1)
          const exact = window.reduce((a, b) => a + b, 0) / p
          const sd = Math.sqrt(window.reduce((a, b) => a + (b - exact) ** 2, 0) / p)
          const size = Math.max(...window.map(Math.abs))
          assertNear("sma", mean[i]!, exact, 1e-8, 1e6)
          assertNear("middle", middle[i]!, exact, 1e-9, Math.max(size, 100))
          assertNear("sd", upper[i]! - middle[i]!, sd, 1e-6, size * 1e-3)
          if (i > p) {
            const before = x.slice(i - p - 1, i)
            const m = before.reduce((a, b) => a + b, 0) / (p + 1)
            const s = Math.sqrt(before.reduce((a, b) => a + (b - m) ** 2, 0) / p)
            if (s > 1e-6) assertNear("z", z[i]!, (x[i]! - m) / s, 1e-5)
          }
        }
      })
    )).toBeUndefined()
  })

  it("give constant values for a constant series", () => {
    const flat = Array.from({ length: 60 }, () => 123.456)
    expect(rsi(flat, 14).slice(14).every((x) => x === 50)).toBe(true)
    expect(bollinger(flat, 20, 2).upper.slice(19).every((x) => x === 123.456)).toBe(true)
    expect(atr(flat, flat, flat, 14).slice(14).every((x) => x === 0)).toBe(true)
    expect(all(adx(flat, flat, flat, 14)).every((s) => s.slice(27).every((x) => x === 0))).toBe(true)
    expect(stochastic(flat, flat, flat).d.slice(20).every((x) => x === 50)).toBe(true)
    expect(zScores(flat, 10).slice(10).every((x) => x === 0)).toBe(true)
    const after = bollinger([...Array.from({ length: 50 }, (_, i) => (i % 2) * 1e9), ...flat], 20, 2)
    expect(after.upper.slice(70).every((x, i) => x === after.lower[70 + i])).toBe(true)
  })

  it("carry a leading warm-up through composed indicators", () => {
    const close = Array.from({ length: 40 }, (_, i) => 100 + Math.sin(i))
    expect(sma(rsi(close, 14), 3).findIndex((x) => !Number.isNaN(x))).toBe(16)
    expect(ema(new Float64Array(5).fill(NaN), 2).every(Number.isNaN)).toBe(true)
    expect(sma([], 3)).toHaveLength(0)
  })

  it("name invalid bars and parameters in errors", () => {
    expect(() => rsi([1, 2], 0)).toThrow(/n must be a whole number/)
    expect(() => rsi([1, 2], 1.5)).toThrow(RangeError)
    expect(() => atr([1, 2], [2, 1], [1, 1], 1)).toThrow(/high\[0\] \(1\) is below low\[0\] \(2\)/)
    expect(() => atr([1, 2], [1], [1, 1], 1)).toThrow(/equal lengths/)
    expect(() => macd([1, 2, 3], 26, 12, 9)).toThrow(/below slow/)
    expect(() => roc([0, 1], 1)).toThrow(/from 0/)
    expect(() => vwap([1], [1], [1], [-1])).toThrow(/volume\[0\]/)
  })
})

describe("price levels", () => {
  it("include swings as strict extremes, known N bars later", () => {
    expect(
      findCounterexample(
        2000,
        fc.property(
          fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 80 }),
          fc.integer({ min: 1, max: 5 }),
          (x, p) => {
            const pivots = swings(x, x, p)
            const expected = x.flatMap((v, i) => {
              if (i < p || i >= x.length - p) return []
              const others = [...x.slice(i - p, i), ...x.slice(i + 1, i + p + 1)]
              const row = { index: i, knownAt: i + p, price: v }
              return [
                ...(others.every((o) => o < v)
                  ? [{ kind: "high", ...row }]
                  : []),
                ...(others.every((o) => o > v)
                  ? [{ kind: "low", ...row }]
                  : [])
              ]
            })
            assertHolds(
              JSON.stringify(pivots) === JSON.stringify(expected),
              () => JSON.stringify({ found: pivots, expected })
            )
          }
        )
      )
    ).toBeUndefined()
  })

  it("include swings and divergences without looking ahead", () => {
    expect(findCounterexample(
      1000,
      fc.property(bars, fc.integer({ min: 1, max: 5 }), fc.nat(), (b, p, at) => {
        const knownBars = 1 + (at % b.close.length)
        const takeKnown = (x: ArrayLike<number>): number[] => Array.from(x).slice(0, knownBars)
        const known = (list: ReadonlyArray<{ readonly knownAt: number }>): string =>
          JSON.stringify(list.filter((s) => s.knownAt < knownBars))
        const strength = rsi(b.close, 14)
        assertHolds(
          known(swings(b.high, b.low, p)) === JSON.stringify(swings(takeKnown(b.high), takeKnown(b.low), p)),
          () => "swings"
        )
        assertHolds(
          known(divergences(b.high, b.low, strength, p)) ===
            JSON.stringify(divergences(takeKnown(b.high), takeKnown(b.low), takeKnown(strength), p)),
          () => "divergences"
        )
      })
    )).toBeUndefined()
  })

  it("include all four kinds of divergences", () => {
    const wave = (first: number, second: number): number[] => [10, first, 10, second, 10]
    const kinds = (prices: number[], strength: number[]): string[] =>
      divergences(prices, prices, strength, 1).map((d) => `${d.kind} ${d.bias}`)
    expect(kinds(wave(5, 4), wave(20, 30))).toEqual(["regular bullish"])
    expect(kinds(wave(4, 5), wave(30, 20))).toEqual(["hidden bullish"])
    expect(kinds(wave(15, 16), wave(80, 70))).toEqual(["regular bearish"])
    expect(kinds(wave(16, 15), wave(70, 80))).toEqual(["hidden bearish"])
    expect(kinds(wave(5, 4), wave(30, 20))).toEqual([])
  })

  it("keep every touch when they are merged", () => {
    expect(findCounterexample(
      1000,
      fc.property(bars, fc.double({ min: 0, max: 10, noNaN: true }), (b, distance) => {
        const pivots = swings(b.high, b.low, 2)
        const levels = mergeLevels(pivots, distance)
        assertHolds(levels.reduce((sum, l) => sum + l.touches, 0) === pivots.length, () => "touches")
        assertHolds(levels.every((l, i) => i === 0 || l.price >= levels[i - 1]!.price), () => "order")
      })
    )).toBeUndefined()
    expect(() => fibonacci(2, 1)).toThrow(/swap/)
    expect(() => pivots(1, 2, 1)).toThrow(/below low/)
  })

  it("preserve the volume in a volume profile, and hold its share in the value area", () => {
    expect(findCounterexample(
      1000,
      fc.property(bars, fc.integer({ min: 1, max: 60 }), (b, count) => {
        const profile = volumeProfile(b.high, b.low, b.volume, count)
        const total = b.volume.reduce((sum, v) => sum + v, 0)
        if (profile === null) return assertHolds(total === 0, () => "null with volume")
        assertNear("volume", profile.bins.reduce((sum, bin) => sum + bin.volume, 0), total, 1e-9)
        const valueAreaBins = profile.bins.filter((bin) =>
          bin.low >= profile.valueArea.low && bin.high <= profile.valueArea.high
        )
        assertHolds(
          valueAreaBins.reduce((sum, bin) => sum + bin.volume, 0) >= 0.7 * total * (1 - 1e-9),
          () => "value area"
        )
        assertHolds(profile.valueArea.low <= profile.poc && profile.poc <= profile.valueArea.high, () => "poc")
      })
    )).toBeUndefined()
  })
})
