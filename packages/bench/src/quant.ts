/**
 * Compares @tapeline/quant with other packages in one process. The contenders take turns in each round, so that other
 * load affects all of them. Run as `npm run quant -w @tapeline/bench`.
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

/** The used parts of each peer. Only this comparison needs them. */
interface Peers {
  readonly fast: Record<"rsi" | "macd" | "atr" | "bbands", (...args: ReadonlyArray<unknown>) => unknown>
  readonly technical: Record<"RSI" | "MACD" | "ATR" | "BollingerBands", { calculate(input: object): unknown }>
  readonly signals: Record<
    "RSI" | "MACD" | "ATR" | "BollingerBands" | "EMA",
    new(...args: ReadonlyArray<unknown>) => {
      update(value: unknown, replace: boolean): unknown
    }
  >
  readonly talib: Record<"RSI" | "MACD" | "ATR" | "BBANDS", (input: object) => unknown>
  readonly blackScholes: (s: number, k: number, t: number, v: number, r: number, type: string) => number
}

async function loadPeers(): Promise<Peers> {
  const { IndicatorsSync }: { readonly IndicatorsSync: new() => Peers["fast"] } = require("@ixjb94/indicators")
  // With a global fetch, the loader of talib-web assumes a browser and requests its file from the network.
  const { fetch } = globalThis
  Reflect.deleteProperty(globalThis, "fetch")
  const talib: Peers["talib"] & { init(path: string): Promise<unknown> } = require("talib-web")
  await talib.init(require.resolve("talib-web/lib/talib.wasm"))
  globalThis.fetch = fetch
  const technical: Peers["technical"] = require("technicalindicators")
  const { blackScholes }: Pick<Peers, "blackScholes"> = require("black-scholes")
  return {
    fast: new IndicatorsSync(),
    technical,
    // The compared classes of the package, with the signatures that are used here.
    signals: (await import("trading-signals")) as unknown as Peers["signals"],
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

function walk(length: number): Columns {
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

/** Keeps results alive, so that the compiler does not remove their computation. */
let sink: unknown

/** The median milliseconds of each contender. They take turns, after two uncounted rounds. */
function race(contenders: ReadonlyArray<Contender>): ReadonlyMap<string, number> {
  const times = new Map(contenders.map(({ name }): [string, Array<number>] => [name, []]))
  for (let round = -2; round < ROUNDS; round++) {
    for (const { name, run } of contenders) {
      const start = performance.now()
      sink = run()
      if (round >= 0) times.get(name)!.push(performance.now() - start)
    }
  }
  return new Map([...times].map(([name, sample]) => [name, median(sample)]))
}

const OURS = "tapeline"
const OURS_PLAIN = "tapeline, plain arrays"

/** A row of the report: the contenders, and the ratio to the fastest peer. */
function row(label: string, contenders: ReadonlyArray<Contender>): ReadonlyArray<string> {
  const times = race(contenders)
  const mine = times.get(OURS)!
  const peers = [...times].filter(([name]) => !name.startsWith(OURS)).toSorted((a, b) => a[1] - b[1])
  const [fastest, best] = peers[0]!
  const ratio = mine / best
  const plain = times.get(OURS_PLAIN)
  const cells = [
    label,
    `${mine.toFixed(2)} ms`,
    plain === undefined ? "" : `${plain.toFixed(2)} ms (${(plain / best).toFixed(2)})`,
    `${fastest} ${best.toFixed(2)} ms`,
    peers.slice(1).map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`).join(", "),
    ratio.toFixed(2),
    ratio <= GOAL ? "yes" : "no"
  ]
  console.log(cells.join("  "))
  return cells
}

/** Feeds values to an indicator object one by one. */
function fed(
  indicator: { update(value: unknown, replace: boolean): unknown },
  values: ReadonlyArray<unknown>
): unknown {
  let last: unknown
  for (const value of values) last = indicator.update(value, false)
  return last
}

function indicatorRows(peers: Peers, bars: number, withTalib: boolean): ReadonlyArray<ReadonlyArray<string>> {
  const { high, low, close, typed } = walk(bars)
  const candles = close.map((price, i) => ({ high: high[i]!, low: low[i]!, close: price }))
  const size = `${(bars / 1000).toLocaleString("en")},000 bars`
  const { fast, technical, signals, talib } = peers
  const contest = (
    name: string,
    mine: (c: Columns["typed"] | Columns) => unknown,
    theirs: ReadonlyArray<Contender>,
    theirTalib: () => unknown
  ): ReadonlyArray<string> =>
    row(`${name}, ${size}`, [
      { name: OURS, run: () => mine(typed) },
      { name: OURS_PLAIN, run: () => mine({ high, low, close, typed }) },
      ...(withTalib ? [{ name: "talib-web", run: theirTalib }] : theirs)
    ])
  return [
    contest("RSI(14)", (c) => quant.rsi(c.close, 14), [
      { name: "@ixjb94/indicators", run: () => fast.rsi(close, 14) },
      { name: "technicalindicators", run: () => technical.RSI.calculate({ values: close, period: 14 }) },
      { name: "trading-signals", run: () => fed(new signals.RSI(14), close) }
    ], () => talib.RSI({ inReal: close, timePeriod: 14 })),
    contest("MACD(12, 26, 9)", (c) => quant.macd(c.close, 12, 26, 9), [
      { name: "@ixjb94/indicators", run: () => fast.macd(close, 12, 26, 9) },
      {
        name: "technicalindicators",
        run: () =>
          technical.MACD.calculate({
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
        run: () => fed(new signals.MACD(new signals.EMA(12), new signals.EMA(26), new signals.EMA(9)), close)
      }
    ], () => talib.MACD({ inReal: close, fastPeriod: 12, slowPeriod: 26, signalPeriod: 9 })),
    contest("ATR(14)", (c) => quant.atr(c.high, c.low, c.close, 14), [
      { name: "@ixjb94/indicators", run: () => fast.atr(high, low, close, 14) },
      { name: "technicalindicators", run: () => technical.ATR.calculate({ high, low, close, period: 14 }) },
      { name: "trading-signals", run: () => fed(new signals.ATR(14), candles) }
    ], () => talib.ATR({ high, low, close, timePeriod: 14 })),
    contest("Bollinger(20, 2)", (c) => quant.bollinger(c.close, 20, 2), [
      { name: "@ixjb94/indicators", run: () => fast.bbands(close, 20, 2) },
      {
        name: "technicalindicators",
        run: () => technical.BollingerBands.calculate({ values: close, period: 20, stdDev: 2 })
      },
      { name: "trading-signals", run: () => fed(new signals.BollingerBands(20, 2), close) }
    ], () => talib.BBANDS({ inReal: close, timePeriod: 20, nbDevUp: 2, nbDevDn: 2 }))
  ]
}

function optionRow(peers: Peers): { readonly cells: ReadonlyArray<string>; readonly perSecond: string } {
  const random = quant.seededRandom(21)
  const inputs = Array.from({ length: OPTIONS }, (_, i) => ({
    spot: 100,
    strike: 60 + 80 * random(),
    years: 0.02 + 2 * random(),
    rate: 0.03,
    sigma: 0.2 + random(),
    type: i % 2 === 0 ? "call" as const : "put" as const
  }))
  const mine = (): number => {
    let sum = 0
    for (const input of inputs) {
      const { price, delta } = quant.blackScholes(input)
      sum += price + delta
    }
    return sum
  }
  const cells = row(`Black-Scholes, ${OPTIONS.toLocaleString("en")} (ours with all greeks, the peer price only)`, [
    { name: OURS, run: mine },
    {
      name: "black-scholes",
      run: () => {
        let sum = 0
        for (const { spot, strike, years, sigma, rate, type } of inputs) {
          sum += peers.blackScholes(spot, strike, years, sigma, rate, type)
        }
        return sum
      }
    }
  ])
  const rate = (1000 * OPTIONS) / race([{ name: OURS, run: mine }]).get(OURS)!
  return { cells, perSecond: `${(rate / 1e6).toFixed(2)} million prices with all greeks a second` }
}

function backtestRows(): ReadonlyArray<ReadonlyArray<string>> {
  return [2_000, 20_000, 200_000].map((bars) => {
    const { typed } = walk(bars)
    const market = { open: typed.close, high: typed.high, low: typed.low, close: typed.close }
    const strategy: quant.Strategy = {
      entry: [{ left: "ema(20)", op: "cross_above", right: "ema(50)" }],
      exit: [{ left: "rsi(14)", op: "gt", right: 75 }],
      stop_atr: 2,
      take_atr: 4
    }
    const signals = quant.strategySignals(strategy, market)
    const whole = race([{
      name: OURS,
      run: () => quant.summarise(quant.backtest(market, quant.strategySignals(strategy, market)), 8760)
    }]).get(OURS)!
    const engine = race([{ name: OURS, run: () => quant.backtest(market, signals) }]).get(OURS)!
    const cells = [
      bars.toLocaleString("en"),
      `${whole.toFixed(2)} ms`,
      `${((1e6 * whole) / bars).toFixed(0)} ns`,
      `${engine.toFixed(2)} ms`,
      `${((1e6 * engine) / bars).toFixed(0)} ns`,
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

${
    runConditions(new Date())
  }. Medians of ${ROUNDS} rounds in which the contenders take turns. Ours read \`Float64Array\`s, as the rest of the
platform does, and plain arrays as the peers do; the ratio is our time over the fastest peer's.

${table(head, rows)}

Options: ${options.perSecond}.

Backtests (EMA cross with an RSI exit, stop and take by ATR): signals, engine and metrics together, and the engine
alone.

${table(["bars", "together", "a bar", "engine", "a bar", "trades"], backtests)}
`
)
if (sink === undefined) throw new Error("nothing was measured")
