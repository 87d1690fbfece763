/**
 * Compares `@tapeline/quant` with other packages in one process, in turn, so that other load affects all contenders.
 * `npm run quant -w @tapeline/bench` runs the bench.
 */
import * as quant from "@tapeline/quant"
import { createRequire } from "node:module"
import { median, runConditions, table, writeSection } from "./report.ts"

const BARS = 1_000_000
const FEWER_BARS = 200_000
const OPTIONS = 200_000
const ROUNDS = 9
const GOAL = 0.6

const require = createRequire(import.meta.url)

interface PeerLibraries {
  readonly ixjbIndicators: Record<"rsi" | "macd" | "atr" | "bbands", (...args: ReadonlyArray<unknown>) => unknown>
  readonly technicalIndicators: Record<"RSI" | "MACD" | "ATR" | "BollingerBands", { calculate(input: object): unknown }>
  readonly signals: Record<
    "RSI" | "MACD" | "ATR" | "BollingerBands" | "EMA",
    new(...args: ReadonlyArray<unknown>) => {
      update(value: unknown, replace: boolean): unknown
    }
  >
  readonly talib: Record<"RSI" | "MACD" | "ATR" | "BBANDS", (input: object) => unknown>
  readonly blackScholes: (s: number, k: number, t: number, v: number, r: number, type: string) => number
}

async function loadPeers(): Promise<PeerLibraries> {
  const { IndicatorsSync }: { readonly IndicatorsSync: new() => PeerLibraries["ixjbIndicators"] } = require(
    "@ixjb94/indicators"
  )
  // With a global `fetch`, the loader of talib-web assumes a browser and requests its file from the network.
  const { fetch } = globalThis
  Reflect.deleteProperty(globalThis, "fetch")
  const talib: PeerLibraries["talib"] & { init(path: string): Promise<unknown> } = require("talib-web")
  await talib.init(require.resolve("talib-web/lib/talib.wasm"))
  globalThis.fetch = fetch
  const technicalIndicators: PeerLibraries["technicalIndicators"] = require("technicalindicators")
  const { blackScholes }: Pick<PeerLibraries, "blackScholes"> = require("black-scholes")
  return {
    ixjbIndicators: new IndicatorsSync(),
    technicalIndicators,
    // The compared classes of the package, with the signatures that the bench uses.
    signals: (await import("trading-signals")) as unknown as PeerLibraries["signals"],
    talib,
    blackScholes
  }
}

interface Columns {
  readonly high: ReadonlyArray<number>
  readonly low: ReadonlyArray<number>
  readonly close: ReadonlyArray<number>
  readonly typed: Readonly<Record<"high" | "low" | "close", Float64Array>>
}

function randomWalk(length: number): Columns {
  const random = quant.seededRandom(20)
  const high: Array<number> = []
  const low: Array<number> = []
  const close: Array<number> = []
  let price = 100
  for (let i = 0; i < length; i++) {
    price *= Math.exp(0.005 * quant.normalDraw(random))
    close.push(price)
    high.push(price * (1 + 0.004 * random()))
    low.push(price * (1 - 0.004 * random()))
  }
  return {
    high,
    low,
    close,
    typed: { high: Float64Array.from(high), low: Float64Array.from(low), close: Float64Array.from(close) }
  }
}

interface Contender {
  readonly name: string
  readonly run: () => unknown
}

/** Receives the computed results, because the compiler could remove a computation whose result is unused. */
let resultSink: unknown

/** Returns the median time of each contender in ms. The first two rounds are warm-up and are not counted. */
function measureInTurns(contenders: ReadonlyArray<Contender>): ReadonlyMap<string, number> {
  const times = new Map(contenders.map(({ name }): [string, Array<number>] => [name, []]))
  for (let round = -2; round < ROUNDS; round++) {
    for (const { name, run } of contenders) {
      const start = performance.now()
      resultSink = run()
      if (round >= 0) times.get(name)!.push(performance.now() - start)
    }
  }
  return new Map([...times].map(([name, sample]) => [name, median(sample)]))
}

const OURS = "tapeline"
const OURS_PLAIN = "tapeline, plain arrays"

function compareRow(label: string, contenders: ReadonlyArray<Contender>): ReadonlyArray<string> {
  const times = measureInTurns(contenders)
  const ownTime = times.get(OURS)!
  const peerTimes = [...times].filter(([name]) => !name.startsWith(OURS)).toSorted((a, b) => a[1] - b[1])
  const [fastest, best] = peerTimes[0]!
  const ratio = ownTime / best
  const ownPlainTime = times.get(OURS_PLAIN)
  const cells = [
    label,
    `${ownTime.toFixed(2)} ms`,
    ownPlainTime === undefined ? "" : `${ownPlainTime.toFixed(2)} ms (${(ownPlainTime / best).toFixed(2)})`,
    `${fastest} ${best.toFixed(2)} ms`,
    peerTimes.slice(1).map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`).join(", "),
    ratio.toFixed(2),
    ratio <= GOAL ? "yes" : "no"
  ]
  console.log(cells.join("  "))
  return cells
}

function feedAll(
  indicator: { update(value: unknown, replace: boolean): unknown },
  values: ReadonlyArray<unknown>
): unknown {
  let last: unknown
  for (const value of values) last = indicator.update(value, false)
  return last
}

function indicatorRows(
  peerTimes: PeerLibraries,
  bars: number,
  withTalib: boolean
): ReadonlyArray<ReadonlyArray<string>> {
  const { high, low, close, typed } = randomWalk(bars)
  const candles = close.map((price, i) => ({ high: high[i]!, low: low[i]!, close: price }))
  const size = `${(bars / 1000).toLocaleString("en")},000 bars`
  const { ixjbIndicators, technicalIndicators, signals, talib } = peerTimes
  const makeRow = (
    name: string,
    runOwn: (c: Columns["typed"] | Columns) => unknown,
    peerContenders: ReadonlyArray<Contender>,
    talibContender: () => unknown
  ): ReadonlyArray<string> =>
    compareRow(`${name}, ${size}`, [
      { name: OURS, run: () => runOwn(typed) },
      { name: OURS_PLAIN, run: () => runOwn({ high, low, close, typed }) },
      ...(withTalib ? [{ name: "talib-web", run: talibContender }] : peerContenders)
    ])
  return [
    makeRow("RSI(14)", (c) => quant.rsi(c.close, 14), [
      { name: "@ixjb94/indicators", run: () => ixjbIndicators.rsi(close, 14) },
      { name: "technicalindicators", run: () => technicalIndicators.RSI.calculate({ values: close, period: 14 }) },
      { name: "trading-signals", run: () => feedAll(new signals.RSI(14), close) }
    ], () => talib.RSI({ inReal: close, timePeriod: 14 })),
    makeRow("MACD(12, 26, 9)", (c) => quant.macd(c.close, 12, 26, 9), [
      { name: "@ixjb94/indicators", run: () => ixjbIndicators.macd(close, 12, 26, 9) },
      {
        name: "technicalindicators",
        run: () =>
          technicalIndicators.MACD.calculate({
            values: close,
            fastPeriod: 12,
            slowPeriod: 26,
            signalPeriod: 9,
            SimpleMAOscillator: false,
            SimpleMASignal: false
          })
      },
      {
        name: "trading-signals",
        run: () => feedAll(new signals.MACD(new signals.EMA(12), new signals.EMA(26), new signals.EMA(9)), close)
      }
    ], () => talib.MACD({ inReal: close, fastPeriod: 12, slowPeriod: 26, signalPeriod: 9 })),
    makeRow("ATR(14)", (c) => quant.atr(c.high, c.low, c.close, 14), [
      { name: "@ixjb94/indicators", run: () => ixjbIndicators.atr(high, low, close, 14) },
      { name: "technicalindicators", run: () => technicalIndicators.ATR.calculate({ high, low, close, period: 14 }) },
      { name: "trading-signals", run: () => feedAll(new signals.ATR(14), candles) }
    ], () => talib.ATR({ high, low, close, timePeriod: 14 })),
    makeRow("Bollinger(20, 2)", (c) => quant.bollinger(c.close, 20, 2), [
      { name: "@ixjb94/indicators", run: () => ixjbIndicators.bbands(close, 20, 2) },
      {
        name: "technicalindicators",
        run: () => technicalIndicators.BollingerBands.calculate({ values: close, period: 20, stdDev: 2 })
      },
      { name: "trading-signals", run: () => feedAll(new signals.BollingerBands(20, 2), close) }
    ], () => talib.BBANDS({ inReal: close, timePeriod: 20, nbDevUp: 2, nbDevDn: 2 }))
  ]
}

function optionRow(peerTimes: PeerLibraries): { readonly cells: ReadonlyArray<string>; readonly perSecond: string } {
  const random = quant.seededRandom(21)
  const inputs = Array.from({ length: OPTIONS }, (_, i) => ({
    spot: 100,
    strike: 60 + 80 * random(),
    years: 0.02 + 2 * random(),
    rate: 0.03,
    sigma: 0.2 + random(),
    type: i % 2 === 0 ? "call" as const : "put" as const
  }))
  const runOwn = (): number => {
    let sum = 0
    for (const input of inputs) {
      const { price, delta } = quant.blackScholes(input)
      sum += price + delta
    }
    return sum
  }
  const cells = compareRow(
    `Black-Scholes, ${OPTIONS.toLocaleString("en")} (ours with all greeks, the peer price only)`,
    [
      { name: OURS, run: runOwn },
      {
        name: "black-scholes",
        run: () => {
          let sum = 0
          for (const { spot, strike, years, sigma, rate, type } of inputs) {
            sum += peerTimes.blackScholes(spot, strike, years, sigma, rate, type)
          }
          return sum
        }
      }
    ]
  )
  const rate = (1000 * OPTIONS) / measureInTurns([{ name: OURS, run: runOwn }]).get(OURS)!
  return { cells, perSecond: `${(rate / 1e6).toFixed(2)} million prices with all greeks a second` }
}

function backtestRows(): ReadonlyArray<ReadonlyArray<string>> {
  return [2_000, 20_000, 200_000].map((bars) => {
    const { typed } = randomWalk(bars)
    const market = { open: typed.close, high: typed.high, low: typed.low, close: typed.close }
    const strategy: quant.Strategy = {
      entry: [{ left: "ema(20)", op: "cross_above", right: "ema(50)" }],
      exit: [{ left: "rsi(14)", op: "gt", right: 75 }],
      stop_atr: 2,
      take_atr: 4
    }
    const signals = quant.strategySignals(strategy, market)
    const signalsAndEngineMs = measureInTurns([{
      name: OURS,
      run: () => quant.summarise(quant.backtest(market, quant.strategySignals(strategy, market)), 8760)
    }]).get(OURS)!
    const engineMs = measureInTurns([{ name: OURS, run: () => quant.backtest(market, signals) }]).get(OURS)!
    const cells = [
      bars.toLocaleString("en"),
      `${signalsAndEngineMs.toFixed(2)} ms`,
      `${((1e6 * signalsAndEngineMs) / bars).toFixed(0)} ns`,
      `${engineMs.toFixed(2)} ms`,
      `${((1e6 * engineMs) / bars).toFixed(0)} ns`,
      String(quant.backtest(market, signals).trades.length)
    ]
    console.log(cells.join("  "))
    return cells
  })
}

const peers = await loadPeers()
const head = ["what", "tapeline", "on plain arrays (ratio)", "fastest peer", "other peers", "ratio", `at most ${GOAL}`]
const options = optionRow(peers)
const rows = [...indicatorRows(peers, BARS, false), ...indicatorRows(peers, FEWER_BARS, true), options.cells]
const backtests = backtestRows()
console.log(options.perSecond)

writeSection(
  "quant",
  `## Quant

${runConditions(new Date())}. Medians of ${ROUNDS} rounds in which the contenders take turns. Our functions read
\`Float64Array\`s, as in the rest of the platform, and plain arrays, as the peers do. The ratio is our time divided by
the time of the fastest peer.

${table(head, rows)}

Options: ${options.perSecond}.

Backtests of an EMA crossover with an RSI exit, and with a stop and a target by ATR: signals, engine and metrics
together, and the engine alone.

${table(["bars", "together", "a bar", "engine", "a bar", "trades"], backtests)}
`
)
if (resultSink === undefined) throw new Error("nothing was measured")
