// Draws `docs/pictures/*.svg` from the simulated market at a fixed time, with the ports that the tools use.
import { type Candle, CoinDerivatives, CoinPrices, KoreanCoinMarkets, OptionsVenue, readValue } from "@tapeline/core"
import { defaultSeed, SimMarket } from "@tapeline/market-sim"
import { Clock, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./manifest.ts"
import { type Point, renderChart, renderColumns, renderLegend, renderLine, seriesColour } from "./svgChart.ts"

const fixedTime = Date.UTC(2026, 10, 20, 9)
const hour = 3_600_000
const day = 24 * hour

const fixedClock: Clock.Clock = {
  currentTimeMillisUnsafe: () => fixedTime,
  currentTimeMillis: Effect.succeed(fixedTime),
  monotonicTimeNanosUnsafe: () => BigInt(fixedTime) * 1_000_000n,
  monotonicTimeNanos: Effect.succeed(BigInt(fixedTime) * 1_000_000n),
  currentTimeNanosUnsafe: () => BigInt(fixedTime) * 1_000_000n,
  currentTimeNanos: Effect.succeed(BigInt(fixedTime) * 1_000_000n),
  sleep: () => Effect.void
}

const formatDate = (time: number): string => new Date(time).toISOString().slice(5, 10)
const formatMonth = (time: number): string => new Date(time).toISOString().slice(0, 7)
const formatThousands = (value: number): string => `${Math.round(value / 100) / 10}k`
const formatPercent = (value: number): string => `${Math.round(value * 100) / 100} %`

const paddedExtent = (values: ReadonlyArray<number>, pad = 0.04): readonly [number, number] => {
  const low = Math.min(...values)
  const high = Math.max(...values)
  return [low - (high - low) * pad, high + (high - low) * pad]
}

const candleChart = (title: string, candles: ReadonlyArray<Candle>): string => {
  const candleWidth = 600 / candles.length
  return renderChart({
    title,
    x: [candles[0]!.time, candles.at(-1)!.time],
    y: paddedExtent(candles.flatMap(({ high, low }) => [high, low])),
    formatX: formatDate,
    formatY: formatThousands,
    ticksX: candles.filter(({ time }) => time % day === 0).map(({ time }) => time)
  }, (plane) =>
    candles.map(({ close, high, low, open, time }) => {
      const fill = close >= open ? "#059669" : "#dc2626"
      const x = plane.x(time)
      const top = plane.y(Math.max(open, close))
      const bodyHeight = Math.max(0.6, plane.y(Math.min(open, close)) - top)
      return `<line x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${plane.y(high).toFixed(1)}" y2="${
        plane.y(low).toFixed(1)
      }" stroke="${fill}"/>` +
        `<rect x="${(x - candleWidth / 2).toFixed(1)}" y="${top.toFixed(1)}" width="${
          candleWidth.toFixed(1)
        }" height="${bodyHeight.toFixed(1)}" fill="${fill}"/>`
    }))
}

const logReturns = (candles: ReadonlyArray<Candle>): ReadonlyArray<number> =>
  candles.slice(1).map((candle, i) => Math.log(candle.close / candles[i]!.close))

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
  const pictures: Record<string, string> = {}

  pictures["btc-hours"] = candleChart(
    "BTC, 8 days of hourly candles (USD)",
    yield* readValue(market.candles({ coin: "BTC", timeframe: "1h", bars: 192 }))
  )

  const daily = yield* Effect.forEach(
    ["BTC", "ETH", "SOL", "DOGE"],
    (coin) => readValue(market.candles({ coin, timeframe: "1d", bars: 730 }))
  )
  const relative = daily.map((candles) =>
    candles.map(({ close, time }): Point => [time, Math.log10(close / candles[0]!.close)])
  )
  pictures["two-years"] = renderChart(
    {
      title: "Two years, each coin against its first day (log scale)",
      x: [relative[0]![0]![0], fixedTime],
      y: paddedExtent(relative.flat().map(([, y]) => y)),
      formatX: formatMonth,
      formatY: (value) => `x ${(10 ** value).toFixed(2)}`
    },
    (plane) => [
      ...relative.map((points, i) => renderLine(plane, points, seriesColour(i))),
      renderLegend(["BTC", "ETH", "SOL", "DOGE"])
    ]
  )

  const returns = logReturns(yield* readValue(market.candles({ coin: "BTC", timeframe: "1h", bars: 8_000 })))
  const returnsAutocorrelation = autocorrelation(returns, 72)
  const absoluteAutocorrelation = autocorrelation(returns.map(Math.abs), 72)
  pictures["autocorrelation"] = renderChart(
    {
      title: "BTC hourly returns: autocorrelation by lag in hours",
      x: [0, 73],
      y: [-0.06, Math.max(...absoluteAutocorrelation.map(([, y]) => y)) + 0.03],
      formatX: String,
      formatY: (value) => value.toFixed(2)
    },
    (
      plane
    ) => [
      renderLine(plane, returnsAutocorrelation, seriesColour(0)),
      renderLine(plane, absoluteAutocorrelation, seriesColour(1), 2),
      renderLegend(["returns", "|returns|"])
    ]
  )

  return pictures
})

const drawSmiles = Effect.gen(function*() {
  const options = yield* OptionsVenue
  const pictures: Record<string, string> = {}

  const chain = yield* readValue(options.chain({ coin: "BTC" }))
  const shownExpiries = chain.expiries.filter((_, i) => i % Math.ceil(chain.expiries.length / 5) === 1).slice(0, 5)
  const slices = shownExpiries.map(({ expiryAt, forward, quotes }) => ({
    name: formatDate(expiryAt),
    points: quotes
      .flatMap(({ ivPct, strike, type }): ReadonlyArray<Point> =>
        forward === null || ivPct === null || (type === "call") !== (strike >= forward)
          ? []
          : [[Math.log(strike / forward), ivPct]]
      )
      .filter(([x]) => Math.abs(x) < 0.4)
      .sort(([a], [b]) => a - b)
  }))
  pictures["btc-smiles"] = renderChart(
    {
      title: "BTC implied volatility by log-moneyness, out-of-the-money options",
      x: [-0.4, 0.4],
      y: paddedExtent(slices.flatMap(({ points }) => points.map(([, y]) => y))),
      formatX: (value) => value.toFixed(1),
      formatY: formatPercent
    },
    (plane) => [
      ...slices.map(({ points }, i) => renderLine(plane, points, seriesColour(i))),
      renderLegend(slices.map(({ name }) => name))
    ]
  )

  return pictures
})

const drawPremium = Effect.gen(function*() {
  const market = yield* KoreanCoinMarkets
  const pictures: Record<string, string> = {}

  const { points: history } = yield* readValue(
    market.history({ coin: "BTC", from: fixedTime - 90 * day, to: fixedTime, stepMs: 4 * hour })
  )
  const percents = history.flatMap(({ krwPrice, time, usdKrw, usdtPrice }): ReadonlyArray<Point> =>
    usdKrw === null || usdtPrice === null ? [] : [[time, (krwPrice / (usdtPrice * usdKrw) - 1) * 100]]
  )
  pictures["kimchi-premium"] = renderChart({
    title: "BTC kimchi premium over 90 days",
    x: [fixedTime - 90 * day, fixedTime],
    y: paddedExtent(percents.map(([, y]) => y)),
    formatX: formatDate,
    formatY: formatPercent
  }, (plane) => [renderLine(plane, percents, seriesColour(0))])

  return pictures
})

const drawPerpetuals = Effect.gen(function*() {
  const market = yield* CoinDerivatives
  const pictures: Record<string, string> = {}

  const from = fixedTime - 14 * day
  const perpetual = yield* readValue(market.perpetualHistory({ coin: "ETH", from, to: fixedTime, stepMs: hour }))
  const interest = perpetual.points.flatMap(({ openInterestUsd, time }): ReadonlyArray<Point> =>
    openInterestUsd === null ? [] : [[time, openInterestUsd / 1e9]]
  )
  pictures["eth-open-interest"] = renderChart({
    title: "ETH perpetual: open interest, billions of USD",
    x: [from, fixedTime],
    y: paddedExtent(interest.map(([, y]) => y)),
    formatX: formatDate,
    formatY: (value) => value.toFixed(1)
  }, (plane) => [renderLine(plane, interest, seriesColour(0))])

  const hours = Array.from({ length: 14 * 24 }, (_, i) => from + i * hour)
  const tapes = yield* Effect.forEach(
    hours,
    (start) => readValue(market.liquidations({ coin: "ETH", from: start, to: start + hour, limit: 1 }))
  )
  const longs = tapes.map(({ longUsd }, i): Point => [hours[i]!, -longUsd / 1e6])
  const shorts = tapes.map(({ shortUsd }, i): Point => [hours[i]!, shortUsd / 1e6])
  pictures["eth-liquidations"] = renderChart({
    title: "ETH liquidations an hour, millions of USD: shorts above, longs below",
    x: [from, fixedTime],
    y: paddedExtent([...longs, ...shorts].map(([, y]) => y)),
    formatX: formatDate,
    formatY: (value) => value.toFixed(0)
  }, (plane) => [renderColumns(plane, shorts, 2, seriesColour(2)), renderColumns(plane, longs, 2, seriesColour(1))])

  return pictures
})

const drawAll = Effect.map(
  Effect.all([drawPrices, drawSmiles, drawPremium, drawPerpetuals]),
  (drawn) => Object.assign({}, ...drawn) as Record<string, string> // each part is a record of pictures
)

const pictures = await Effect.runPromise(
  drawAll.pipe(Effect.provide(SimMarket.layer({ seed: defaultSeed })), Effect.provideService(Clock.Clock, fixedClock))
)
const folder = join(root, "docs/pictures")
mkdirSync(folder, { recursive: true })
for (const [name, svg] of Object.entries(pictures)) writeFileSync(join(folder, `${name}.svg`), svg)
