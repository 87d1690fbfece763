import { Schema } from "effect"
import { Column } from "../../engine/compute/job.ts"
import { Language } from "../../engine/messages/languageCode.ts"

export const chartThemes = ["light", "dark"] as const
export const chartOverlays = ["ema20", "ema50", "ema200", "bollinger", "vwap", "levels", "liquidations"] as const
export const chartPanels = ["volume", "rsi", "macd", "funding", "oi", "score"] as const
export type ChartOverlay = (typeof chartOverlays)[number]
export type ChartPanel = (typeof chartPanels)[number]

/** The minimum and the maximum number of bars in a chart. */
export const chartBarLimits = { min: 20, max: 500 } as const

/** The width of a chart, in pixels. */
export const chartWidth = 1200
export const getChartHeight = (panels: number): number => 560 + 120 * panels

/** A line over the candles, with one value per bar; NaN if unknown. */
const Line = Schema.Struct({
  name: Schema.Literals(["ema20", "ema50", "ema200", "vwap"]),
  values: Column,
  /** The indices of the bars at which the line is interrupted and a new segment starts. */
  restartBars: Schema.Array(Schema.Int)
})

const Panel = Schema.Union([
  Schema.TaggedStruct("volume", { values: Column }),
  Schema.TaggedStruct("rsi", { values: Column }),
  Schema.TaggedStruct("macd", { line: Column, signal: Column, histogram: Column }),
  /**
   * The panel of the funding rate in percent. Each value is the funding rate at the close of a bar, or the newest
   * funding rate for the last bar. `annualisedPct` is the newest funding rate in percent per year, without compounding.
   */
  Schema.TaggedStruct("funding", { values: Column, annualisedPct: Schema.NullOr(Schema.Finite) }),
  /**
   * The panel of the open interest in USD. Each value is the open interest at the close of a bar, or the newest open
   * interest for the last bar.
   */
  Schema.TaggedStruct("oi", { values: Column }),
  /**
   * The panel of the score, from -100 to 100. Each value is the score known at the close of a bar, or the newest score
   * for the last bar.
   */
  Schema.TaggedStruct("score", { values: Column })
])
export type ChartPanelData = typeof Panel.Type

/** The words in a chart image, in the user's language. */
const Words = Schema.Struct({
  volume: Schema.String,
  funding: Schema.String,
  oi: Schema.String,
  score: Schema.String,
  /** The newest funding rate per year, such as `12 % a year`. */
  yearly: Schema.String,
  asOf: Schema.String,
  running: Schema.String,
  longs: Schema.String,
  shorts: Schema.String,
  none: Schema.String
})

/** The input of the chart renderer. Each series has one value per bar, oldest first, and NaN for unknown values. */
export const Chart = Schema.Struct({
  theme: Schema.Literals(chartThemes),
  width: Schema.Int,
  height: Schema.Int,
  /** The ticker of the charted instrument, such as `BTC` or `005930`. */
  instrument: Schema.String,
  name: Schema.String,
  tf: Schema.String,
  stepMs: Schema.Finite,
  currency: Schema.Literals(["USD", "KRW"]),
  source: Schema.String,
  /** The time of the chart's data, in epoch ms. */
  asOf: Schema.Finite,
  /** The opening times of the candles, in epoch ms. */
  time: Column,
  open: Column,
  high: Column,
  low: Column,
  close: Column,
  /** Whether the last candle has not closed yet. */
  running: Schema.Boolean,
  lines: Schema.Array(Line),
  bands: Schema.NullOr(Schema.Struct({ upper: Column, middle: Column, lower: Column })),
  levels: Schema.Array(Schema.Struct({
    price: Schema.Finite,
    kind: Schema.Literals(["support", "resistance"]),
    touches: Schema.Int
  })),
  /** The forced liquidations on the chart. Each liquidation has the index of its bar. */
  liquidations: Schema.Array(Schema.Struct({
    bar: Schema.Int,
    price: Schema.Finite,
    side: Schema.Literals(["long", "short"]),
    sizeUsd: Schema.Finite
  })),
  panels: Schema.Array(Panel),
  language: Language,
  words: Words
})
export type Chart = typeof Chart.Type
export type ChartWords = typeof Words.Type
