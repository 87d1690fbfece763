/**
 * Prints as JSON how much memory each indicator allocates. `memory.test.ts` runs this file in a process without other
 * allocations.
 */
import {
  adx,
  atr,
  bollinger,
  ema,
  macd,
  momentum,
  rangePosition,
  roc,
  rollingMax,
  rsi,
  seededRandom,
  sma,
  stochastic,
  trueRange,
  vwap,
  vwapBands,
  wilder,
  zScores
} from "@tapeline/quant"
import { eachColumn, randomBars } from "./randomBars.ts"

const length = 100_000
/** The maximum heap in bytes that a call may use in addition to its output: a quarter of one series. */
const MAX_EXTRA_HEAP = 200_000
const { high, low, close, volume } = eachColumn(randomBars(seededRandom(1), length), (x) => Float64Array.from(x))

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

function countAllocatedBytes(run: () => unknown): number {
  let bytes = 0
  const originals = { Float64Array, Int32Array, Uint8Array, Int8Array }
  for (const [name, original] of Object.entries(originals)) {
    Reflect.set(
      globalThis,
      name,
      new Proxy(original, {
        construct(target, args) {
          const created: { readonly byteLength: number } = Reflect.construct(target, args)
          bytes += created.byteLength
          return created
        }
      })
    )
  }
  try {
    run()
  } finally {
    for (const [name, original] of Object.entries(originals)) Reflect.set(globalThis, name, original)
  }
  return bytes
}

const MAX_RUNS = 100

/** Returns the smallest heap growth over several runs, because code that is not yet optimised boxes its numbers. */
function measureHeapGrowth(run: () => unknown): number {
  let minGrowth = Infinity
  for (let count = 0; minGrowth > MAX_EXTRA_HEAP && count < MAX_RUNS; count++) {
    const before = process.memoryUsage().heapUsed
    run()
    const growth = process.memoryUsage().heapUsed - before
    // The growth is negative if a garbage collection ran during the call.
    if (growth >= 0) minGrowth = Math.min(minGrowth, growth)
  }
  return minGrowth
}

// The heap is measured before the constructors are counted, because replacing constructors discards optimised code.
const heaps = indicators.map(([, , run]) => measureHeapGrowth(run))
console.log(JSON.stringify(indicators.map(([name, outputs, run], i) => ({
  name,
  expected: outputs * length * 8,
  bytes: countAllocatedBytes(run),
  heap: heaps[i]
}))))
