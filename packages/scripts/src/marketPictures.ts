// Draws `docs/pictures/*.svg` from the simulated market at a fixed time.
import { CoinDerivatives, CoinPrices, KoreanCoinMarkets, OptionsVenue, readValue, runAsOf } from "@tapeline/core"
import { defaultSeed, SimMarket } from "@tapeline/market-sim"
import { type EChartsOption, init, type LineSeriesOption } from "echarts"
import { Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./manifest.ts"

const fixedTime = Date.UTC(2026, 10, 20, 9)
const hour = 3_600_000
const day = 24 * hour

type Point = readonly [x: number, y: number]

const formatThousands = (value: number): string => `${Math.round(value / 100) / 10}k`
const formatPercent = (value: number): string => `${Math.round(value * 100) / 100} %`
const formatTenth = (value: number): string => value.toFixed(1)

const [green, red] = ["#059669", "#dc2626"]
const ink = "#334155"
const folder = join(root, "docs/pictures")
mkdirSync(folder, { recursive: true })

const timeAxis = (formatter: string) =>
  ({ type: "time", splitNumber: 5, axisLabel: { formatter, hideOverlap: true } }) as const
const valueAxis = (formatter: (value: number) => string) =>
  ({ type: "value", scale: true, axisLabel: { formatter } }) as const

const line = (data: ReadonlyArray<Point>, name = ""): LineSeriesOption => ({
  type: "line",
  name,
  data: data.map(([x, y]) => [x, y]),
  showSymbol: false,
  lineStyle: { width: 1.2 }
})

type OptionOf<Key extends keyof EChartsOption> = Exclude<EChartsOption[Key], ReadonlyArray<unknown> | undefined>

interface Picture {
  readonly title: string
  readonly x: OptionOf<"xAxis">
  readonly y: OptionOf<"yAxis">
  readonly series: ReadonlyArray<OptionOf<"series">>
}

/** Matches line breaks, and the styles and attributes that ECharts adds for interactive pages. */
const interactiveParts = /<style[^]*<\/style>|\n| (?:class|ecmeta_\w+|pointer-events)="[^"]*"/g

const draw = (name: string, { series, title, x, y }: Picture): void => {
  const chart = init(null, null, { renderer: "svg", ssr: true, width: 760, height: 300 })
  chart.setOption({
    animation: false,
    backgroundColor: "#ffffff",
    color: ["#2563eb", red, green, "#d97706"],
    textStyle: { fontFamily: "sans-serif", color: ink },
    title: { text: title, left: 65, top: 4, textStyle: { fontSize: 13, color: ink } },
    legend: { show: series.length > 1, left: 65, top: 24, icon: "rect", itemWidth: 10, itemHeight: 10, itemGap: 40 },
    grid: { left: 70, right: 16, top: 48, bottom: 30 },
    useUTC: true,
    xAxis: { ...x, axisLine: { onZero: false }, axisTick: { show: false }, splitLine: { show: false } },
    yAxis: { ...y, axisLine: { show: false }, axisTick: { show: false } },
    series: [...series]
  })
  writeFileSync(join(folder, `${name}.svg`), `${chart.renderToSVGString().replaceAll(interactiveParts, "")}\n`)
  chart.dispose()
}

const autocorrelation = (values: ReadonlyArray<number>, lags: number): ReadonlyArray<Point> => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return Array.from({ length: lags }, (_, i): Point => {
    let sum = 0
    for (let t = i + 1; t < values.length; t++) sum += (values[t]! - mean) * (values[t - i - 1]! - mean)
    return [i + 1, sum / variance]
  })
}

const drawPrices = Effect.gen(function*() {
  const market = yield* CoinPrices

  const hourly = yield* readValue(market.candles({ coin: "BTC", timeframe: "1h", bars: 192 }))
  draw("btc-hours", {
    title: "BTC, 8 days of hourly candles (USD)",
    x: timeAxis("{MM}-{dd}"),
    y: valueAxis(formatThousands),
    series: [{
      type: "candlestick",
      data: hourly.map(({ close, high, low, open, time }) => [time, open, close, low, high]),
      itemStyle: { color: green, borderColor: green, color0: red, borderColor0: red }
    }]
  })

  const coins = ["BTC", "ETH", "SOL", "DOGE"]
  const daily = yield* Effect.forEach(
    coins,
    (coin) => readValue(market.candles({ coin, timeframe: "1d", bars: 730 }))
  )
  draw("two-years", {
    title: "Two years, each coin against its first day (log scale)",
    x: timeAxis("{yyyy}-{MM}"),
    y: { type: "log", logBase: 2, axisLabel: { formatter: (value: number) => `x ${value}` } },
    series: daily.map((candles, i) =>
      line(candles.map(({ close, time }) => [time, close / candles[0]!.close]), coins[i])
    )
  })

  const candles = yield* readValue(market.candles({ coin: "BTC", timeframe: "1h", bars: 8_000 }))
  const returns = candles.slice(1).map(({ close }, i) => Math.log(close / candles[i]!.close))
  draw("autocorrelation", {
    title: "BTC hourly returns: autocorrelation by lag in hours",
    x: { ...valueAxis(String), max: 72, interval: 12 },
    y: valueAxis((value) => value.toFixed(2)),
    series: [
      line(autocorrelation(returns, 72), "returns"),
      line(autocorrelation(returns.map(Math.abs), 72), "|returns|")
    ]
  })
})

const drawSmiles = Effect.gen(function*() {
  const options = yield* OptionsVenue
  const chain = yield* readValue(options.chain({ coin: "BTC" }))
  const shownExpiries = chain.expiries.filter((_, i) => i % Math.ceil(chain.expiries.length / 5) === 1).slice(0, 5)
  draw("btc-smiles", {
    title: "BTC implied volatility by log-moneyness, out-of-the-money options",
    x: { ...valueAxis(formatTenth), min: -0.4, max: 0.4 },
    y: valueAxis(formatPercent),
    series: shownExpiries.map(({ expiryAt, forward, quotes }) => {
      const points = quotes.flatMap(({ ivPct, strike, type }): ReadonlyArray<Point> =>
        forward === null || ivPct === null || (type === "call") !== (strike >= forward)
          ? []
          : [[Math.log(strike / forward), ivPct]]
      )
      return line(
        points.filter(([x]) => Math.abs(x) < 0.4).sort(([a], [b]) => a - b),
        new Date(expiryAt).toISOString().slice(5, 10)
      )
    })
  })
})

const drawPremium = Effect.gen(function*() {
  const market = yield* KoreanCoinMarkets
  const { points } = yield* readValue(
    market.history({ coin: "BTC", from: fixedTime - 90 * day, to: fixedTime, stepMs: 4 * hour })
  )
  const percents = points.flatMap(({ krwPrice, time, usdKrw, usdtPrice }): ReadonlyArray<Point> =>
    usdKrw === null || usdtPrice === null ? [] : [[time, (krwPrice / (usdtPrice * usdKrw) - 1) * 100]]
  )
  draw("kimchi-premium", {
    title: "BTC kimchi premium over 90 days",
    x: timeAxis("{MM}-{dd}"),
    y: valueAxis(formatPercent),
    series: [line(percents)]
  })
})

const drawPerpetuals = Effect.gen(function*() {
  const market = yield* CoinDerivatives
  const from = fixedTime - 14 * day

  const perpetual = yield* readValue(market.perpetualHistory({ coin: "ETH", from, to: fixedTime, stepMs: hour }))
  const interest = perpetual.points.flatMap(({ openInterestUsd, time }): ReadonlyArray<Point> =>
    openInterestUsd === null ? [] : [[time, openInterestUsd / 1e9]]
  )
  draw("eth-open-interest", {
    title: "ETH perpetual: open interest, billions of USD",
    x: timeAxis("{MM}-{dd}"),
    y: valueAxis(formatTenth),
    series: [line(interest)]
  })

  const hours = Array.from({ length: 14 * 24 }, (_, i) => from + i * hour)
  const tapes = yield* Effect.forEach(
    hours,
    (start) => readValue(market.liquidations({ coin: "ETH", from: start, to: start + hour, limit: 1 }))
  )
  const bars = { type: "bar", stack: "liquidations", barWidth: 2 } as const
  draw("eth-liquidations", {
    title: "ETH liquidations an hour, millions of USD",
    x: timeAxis("{MM}-{dd}"),
    y: valueAxis(String),
    series: [
      { ...bars, name: "longs", color: red, data: tapes.map(({ longUsd }, i) => [hours[i]!, -longUsd / 1e6]) },
      { ...bars, name: "shorts", color: green, data: tapes.map(({ shortUsd }, i) => [hours[i]!, shortUsd / 1e6]) }
    ]
  })
})

await Effect.runPromise(
  Effect.all([drawPrices, drawSmiles, drawPremium, drawPerpetuals]).pipe(
    Effect.provide(SimMarket.layer({ seed: defaultSeed })),
    (program) => runAsOf(program, fixedTime)
  )
)
