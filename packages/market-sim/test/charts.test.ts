import { assert, layer as withLayer } from "@effect/vitest"
import { ToolCaller } from "@tapeline/core"
import { type Chart, ChartRenderer, DrawingTooLarge, getChartHeight } from "@tapeline/core/analysis"
import { ComputeBusy, ComputeCrashed, ComputeTimeout } from "@tapeline/core/engine"
import { dayMs, hourMs } from "@tapeline/core/market"
import {
  type ArgumentsOf,
  getDerivatives,
  getIndicators,
  getKrStockHistory,
  getLevels,
  getLiquidationsHistory,
  getPositioningHistory,
  getPriceHistory,
  getScore,
  getScoreHistory,
  getVwap,
  makeChart
} from "@tapeline/core/specifications"
import { callExpectingFailure, callTool, makePayer, principal } from "@tapeline/testing/toolCalls"
import { Cause, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "./support/engine.ts"
import { layerCompleteMarket, now } from "./support/markets.ts"

let drawnChart: Chart | undefined
let fault: ComputeTimeout | ComputeCrashed | ComputeBusy | DrawingTooLarge | undefined
const layerRenderer = Layer.succeed(ChartRenderer, {
  render: (chart) => {
    drawnChart = chart
    if (fault !== undefined) return Effect.fail(fault)
    return Effect.succeed({ svg: "<svg/>", png: Uint8Array.of(1), width: chart.width, height: chart.height })
  }
})

const at = () => TestClock.setTime(now)

const make = (args: ArgumentsOf<typeof makeChart>) =>
  Effect.map(callTool(makeChart, args), (result) => ({ result, chart: drawnChart! }))

const last = (values: Float64Array): number | undefined => values.findLast((value) => !Number.isNaN(value))
const lineOf = ({ lines }: Chart, name: string): Float64Array => lines.find((line) => line.name === name)!.values
const panelOf = <Tag extends Chart["panels"][number]["_tag"]>({ panels }: Chart, tag: Tag) =>
  panels.find((panel): panel is Extract<Chart["panels"][number], { readonly _tag: Tag }> => panel._tag === tag)!
const near = (actualValue: number | undefined, expected: number | null): void => {
  assert.isDefined(actualValue)
  assert.isNotNull(expected)
  assert.closeTo(actualValue, expected, Math.abs(expected) * 1e-6 + 1e-9)
}

withLayer(layerEngineOver(layerCompleteMarket, layerRenderer), { timeout: 120_000 })("charts of coins", (it) => {
  it.effect("show the candles of get_price_history and the indicators of get_indicators", () =>
    Effect.gen(function*() {
      yield* at()
      for (const tf of ["15m", "1h", "4h", "1d"] as const) {
        const { chart, result } = yield* make({
          coin: "BTC",
          tf,
          bars: 150,
          overlays: ["ema20", "ema50", "ema200", "bollinger"],
          panels: ["rsi", "macd", "volume"]
        })
        const { candles } = yield* callTool(getPriceHistory, { coin: "BTC", tf, bars: 150 })
        assert.deepStrictEqual([...chart.time], candles.map(({ time }) => Date.parse(time)))
        for (const name of ["open", "high", "low", "close"] as const) {
          chart[name].forEach((value, i) => near(value, candles[i]![name]))
        }
        panelOf(chart, "volume").values.forEach((value, i) => near(value, candles[i]!.volume))
        assert.strictEqual(result.close, candles.at(-1)!.close)
        assert.closeTo(result.change_pct!, 100 * (candles.at(-1)!.close / candles[0]!.open - 1), 1e-4)
        const indicators = yield* callTool(getIndicators, { coin: "BTC", tf })
        near(last(lineOf(chart, "ema20")), indicators.ema["20"])
        near(last(lineOf(chart, "ema50")), indicators.ema["50"])
        near(last(lineOf(chart, "ema200")), indicators.ema["200"])
        near(last(chart.bands!.upper), indicators.bollinger.upper)
        near(last(chart.bands!.middle), indicators.bollinger.middle)
        near(last(chart.bands!.lower), indicators.bollinger.lower)
        near(last(panelOf(chart, "rsi").values), indicators.rsi)
        const { histogram, line, signal } = panelOf(chart, "macd")
        near(last(line), indicators.macd.line)
        near(last(signal), indicators.macd.signal)
        assert.closeTo(last(histogram)!, indicators.macd.histogram!, Math.abs(indicators.macd.line!) * 1e-3)
        // Indicators use only closed candles, so the newest indicator value belongs to the last closed candle.
        const closedAt = candles.findLastIndex(({ closed }) => closed !== false)
        assert.strictEqual(candles[closedAt]!.time, indicators.candle_time)
        near(lineOf(chart, "ema20")[closedAt], indicators.ema["20"])
      }
    }))

  it.effect("show the levels of get_levels and the VWAP of get_vwap, which restarts with each session", () =>
    Effect.gen(function*() {
      yield* at()
      const { chart } = yield* make({ coin: "ETH", tf: "4h", overlays: ["levels"] })
      const levels = yield* callTool(getLevels, { coin: "ETH", tf: "4h" })
      for (const [kind, rows] of [["support", levels.supports], ["resistance", levels.resistances]] as const) {
        const levelsOfKind = chart.levels.filter((level) => level.kind === kind)
        assert.strictEqual(levelsOfKind.length, Math.min(4, rows.length))
        levelsOfKind.forEach(({ price, touches }, i) => {
          near(price, rows[i]!.price)
          assert.strictEqual(touches, rows[i]!.touches)
        })
      }
      for (const [tf, anchor] of [["5m", "day"], ["1h", "day"], ["4h", "week"], ["1d", "month"]] as const) {
        const { chart } = yield* make({ coin: "ETH", tf, overlays: ["vwap"] })
        near(last(lineOf(chart, "vwap")), (yield* callTool(getVwap, { coin: "ETH", anchor })).vwap)
        const restartBars = chart.lines[0]!.restartBars
        if (tf === "1h") {
          assert.deepStrictEqual(
            restartBars.map((bar) => chart.time[bar]! % dayMs),
            restartBars.map(() => 0)
          )
        }
      }
    }))
})

withLayer(layerEngineOver(layerCompleteMarket, layerRenderer), { timeout: 120_000 })(
  "charts of derivatives and stocks",
  (it) => {
    it.effect("show the points of get_positioning_history and get_score_history, and the current values", () =>
      Effect.gen(function*() {
        yield* at()
        const { chart, result } = yield* make({ coin: "SOL", panels: ["score", "oi", "funding"] })
        assert.deepStrictEqual(chart.panels.map(({ _tag }) => _tag), ["funding", "oi", "score"])
        assert.strictEqual(result.height, getChartHeight(3))
        const { points } = yield* callTool(getPositioningHistory, { coin: "SOL", hours: 100 })
        const scores = yield* callTool(getScoreHistory, { coin: "SOL", hours: 100 })
        const [funding, interest, score] = [panelOf(chart, "funding"), panelOf(chart, "oi"), panelOf(chart, "score")]
        const barEnding = (time: string): number => chart.time.indexOf(Date.parse(time) - hourMs)
        for (const { funding_rate_pct, open_interest_usd, time } of points) {
          near(funding.values[barEnding(time)], funding_rate_pct)
          near(interest.values[barEnding(time)], open_interest_usd)
        }
        for (const { score: value, time } of scores.points) near(score.values[barEnding(time)], value)
        const currentDerivatives = yield* callTool(getDerivatives, { coin: "SOL" })
        near(funding.values.at(-1), currentDerivatives.funding_rate_pct)
        assert.closeTo(funding.annualisedPct!, currentDerivatives.funding_annualised_pct!, 1e-3)
        near(interest.values.at(-1), currentDerivatives.open_interest_usd)
        near(score.values.at(-1), (yield* callTool(getScore, { coin: "SOL" })).score)
      }))

    it.effect("mark the largest liquidations, each near the close of its bar", () =>
      Effect.gen(function*() {
        yield* at()
        const { chart, result } = yield* make({ coin: "BTC", overlays: ["liquidations"] })
        const { events } = yield* callTool(getLiquidationsHistory, { coin: "BTC", hours: 120, top: 1000 })
        const sizes = events.filter(({ time }) => Date.parse(time) >= chart.time[0]!).map(({ size_usd }) => size_usd)
        assert.isAbove(chart.liquidations.length, 5)
        assert.isAbove(sizes.length, chart.liquidations.length)
        const largest = sizes.toSorted((a, b) => b - a).slice(0, chart.liquidations.length)
        chart.liquidations.forEach(({ sizeUsd }, i) => near(sizeUsd, largest[i]!))
        for (const { bar, price, sizeUsd } of chart.liquidations) {
          assert.isAtLeast(sizeUsd, 10_000)
          assert.isBelow(Math.abs(price / chart.close[bar]! - 1), 0.2)
        }
        assert.isTrue(result.notes.some((note) => note.includes(`${chart.liquidations.length} largest`)))
        assert.include(result.alt, "liquidations marked")
      }))

    it.effect("show a stock that is requested by name, in its currency", () =>
      Effect.gen(function*() {
        yield* at()
        const { chart, result } = yield* make({
          symbol: "삼성전자",
          overlays: ["ema20", "ema200", "bollinger", "levels"],
          panels: ["volume", "rsi", "macd"]
        })
        const history = yield* callTool(getKrStockHistory, { symbol: "005930", bars: 120 })
        assert.deepStrictEqual([result.symbol, result.coin, result.tf, chart.currency], ["005930", null, "1d", "KRW"])
        assert.deepStrictEqual([...chart.time], history.candles.map(({ time }) => Date.parse(time)))
        assert.strictEqual(result.close, history.candles.at(-1)!.close)
        assert.include(result.title, "삼성전자 (005930) 1d")
        for (const { values } of chart.lines) assert.isFalse(Number.isNaN(values[100]!))
        assert.isAbove(chart.levels.length, 0)
        // Moving averages count sessions and ignore the nights between sessions.
        const closedCloses = chart.running ? chart.close.slice(0, -1) : chart.close
        const mean = closedCloses.slice(-20).reduce((sum, close) => sum + close, 0) / 20
        near(last(chart.bands!.middle), mean)
        for (const tf of ["15m", "1h"] as const) {
          const us = yield* make({ symbol: "AAPL", tf, bars: 40 })
          assert.deepStrictEqual([us.result.bars, us.chart.currency, us.chart.tf], [40, "USD", tf])
        }
      }))
  }
)

withLayer(layerEngineOver(layerCompleteMarket, layerRenderer), { timeout: 120_000 })("results of make_chart", (it) => {
  it.effect("the alt text describes the chart, and notes list series that are not recorded", () =>
    Effect.gen(function*() {
      yield* at()
      const { result } = yield* make({ coin: "USDT", panels: ["funding", "oi", "score", "volume"] })
      for (const panelName of ["Funding", "Open interest", "Score"]) {
        assert.isTrue(result.notes.some((note) => note.startsWith(`${panelName}: not recorded`)), result.notes.join())
      }
      const { result: btc } = yield* make({ coin: "BTC" })
      assert.match(
        btc.alt,
        /^Candlestick chart of Bitcoin \(BTC\) in USD: 120 candles of 1h, .* UTC\. First open .*, last .* \([+-].*%\); high .* at .*, low .* at .*\. Over it: EMA 20 .*; EMA 50 .*\. Below: volume of the last bar .*\.$/
      )
      assert.isTrue(btc.alt.length < 2_000)
      assert.match(btc.url, /^\/v1\/charts\/[a-z0-5]{32}$/)
    }))

  it.effect("rejects a coin with a symbol, a call without either, and coin-only panels of a stock", () =>
    Effect.gen(function*() {
      yield* at()
      const caller = yield* ToolCaller
      const rejectedArguments: ReadonlyArray<object> = [
        {},
        { coin: "BTC", symbol: "AAPL" },
        { symbol: "AAPL", panels: ["funding"] },
        { symbol: "AAPL", panels: ["volume", "score"] },
        { symbol: "AAPL", overlays: ["vwap"] },
        { symbol: "AAPL", overlays: ["liquidations"] },
        { symbol: "AAPL", tf: "4h" },
        { coin: "BTC", bars: 19 },
        { coin: "BTC", bars: 501 },
        { coin: "BTC", overlays: ["sma"] },
        { coin: "BTC", theme: "blue" }
      ]
      for (const args of rejectedArguments) {
        const exit = yield* Effect.exit(
          caller.call({ principal, name: "make_chart", arguments: args, payer: makePayer() })
        )
        assert.isTrue(
          Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("InvalidArguments"),
          JSON.stringify(args)
        )
      }
      assert.strictEqual((yield* callExpectingFailure(makeChart, { coin: "NOSUCH" })).code, "unknown_symbol")
    }))

  it.effect("fails the call if the renderer times out, crashes, is busy or returns too large a drawing", () =>
    Effect.gen(function*() {
      yield* at()
      const job = "draw_chart"
      const faults = [
        [new ComputeTimeout({ job, limitMs: 10_000 }), "timeout"],
        [new ComputeCrashed({ job, cause: "out of memory" }), "source_unavailable"],
        [new ComputeBusy({ job }), "source_unavailable"],
        [new DrawingTooLarge({ bytes: 2_000_000 }), "source_unavailable"]
      ] as const
      for (const [one, code] of faults) {
        fault = one
        const failure = yield* Effect.ensuring(
          callExpectingFailure(makeChart, { coin: "BTC" }),
          Effect.sync(() => fault = undefined)
        )
        assert.strictEqual(failure.code, code)
        assert.notInclude(failure.message, "memory")
      }
    }))

  it.effect("draws each requested overlay once, in a fixed order", () =>
    Effect.gen(function*() {
      yield* at()
      const { chart } = yield* make({ coin: "BTC", overlays: ["ema50", "ema20", "ema20"], panels: [] })
      assert.deepStrictEqual(chart.lines.map(({ name }) => name), ["ema20", "ema50"])
      assert.strictEqual(chart.height, getChartHeight(0))
    }))
})
