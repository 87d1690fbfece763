import { Schema } from "effect"
import { Column } from "../../engine/compute/job.ts"
import { Language } from "../../engine/messages/languageCode.ts"

export const chartThemes = ["light", "dark"] as const
export const chartOverlays = ["ema20", "ema50", "ema200", "bollinger", "vwap", "levels", "liquidations"] as const
export const chartPanels = ["volume", "rsi", "macd", "funding", "oi", "score"] as const
export type ChartOverlay = (typeof chartOverlays)[number]
export type ChartPanel = (typeof chartPanels)[number]

/** Bars of a chart. */
export const chartBars = { least: 20, most: 500 } as const

/** The size of a chart, in pixels: its height grows with its panels. */
export const chartWidth = 1200
export const chartHeight = (panels: number): number => 560 + 120 * panels

/** A line over the candles: a value for each bar, NaN where there is none. */
const Line = Schema.Struct({
  name: Schema.Literals(["ema20", "ema50", "ema200", "vwap"]),
  values: Column,
  /** Bars at which it begins anew. */
  anew: Schema.Array(Schema.Int)
})

const Panel = Schema.Union([
  Schema.TaggedStruct("volume", { values: Column }),
  Schema.TaggedStruct("rsi", { values: Column }),
  Schema.TaggedStruct("macd", { line: Column, signal: Column, histogram: Column }),
  /** Percent of the interval that ran at the bar's end, or runs now; the newest as a year's too, not compounded. */
  Schema.TaggedStruct("funding", { values: Column, annualisedPct: Schema.NullOr(Schema.Finite) }),
  /** Open interest at the bar's end, or now, USD. */
  Schema.TaggedStruct("oi", { values: Column }),
  /** -100 to 100, as known at the bar's end, or now. */
  Schema.TaggedStruct("score", { values: Column })
])
export type ChartPanelData = typeof Panel.Type

/** What stands in the picture besides numbers and names, in its reader's language. */
const Words = Schema.Struct({
  volume: Schema.String,
  funding: Schema.String,
  oi: Schema.String,
  score: Schema.String,
  /** `12 % a year`, of the newest funding. */
  yearly: Schema.String,
  asOf: Schema.String,
  running: Schema.String,
  longs: Schema.String,
  shorts: Schema.String,
  none: Schema.String
})

/**
 * A chart as its renderer is told it: numbers and names, no pixels. Series have a value for each bar, oldest first, and
 * NaN where there is none; bars stand side by side, so that nights and outages take no room.
 */
export const Chart = Schema.Struct({
  theme: Schema.Literals(chartThemes),
  width: Schema.Int,
  height: Schema.Int,
  /** `BTC`, `005930`; and what it is called. */
  instrument: Schema.String,
  name: Schema.String,
  tf: Schema.String,
  stepMs: Schema.Finite,
  currency: Schema.Literals(["USD", "KRW"]),
  source: Schema.String,
  /** Epoch ms. */
  asOf: Schema.Finite,
  /** Opening instants, epoch ms, and the candles. */
  time: Column,
  open: Column,
  high: Column,
  low: Column,
  close: Column,
  /** Whether the last candle still runs. */
  running: Schema.Boolean,
  lines: Schema.Array(Line),
  bands: Schema.NullOr(Schema.Struct({ upper: Column, middle: Column, lower: Column })),
  levels: Schema.Array(Schema.Struct({
    price: Schema.Finite,
    kind: Schema.Literals(["support", "resistance"]),
    touches: Schema.Int
  })),
  /** Positions closed by force, each at its bar. */
  liquidations: Schema.Array(Schema.Struct({
    bar: Schema.Int,
    price: Schema.Finite,
    side: Schema.Literals(["long", "short"]),
    sizeUsd: Schema.Finite
  })),
  panels: Schema.Array(Panel),
  /** Of month names and words. */
  language: Language,
  words: Words
})
export type Chart = typeof Chart.Type
export type ChartWords = typeof Words.Type
