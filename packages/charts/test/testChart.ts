import { type Chart, type ChartPanelData, chartWidth, getChartHeight } from "@tapeline/core/analysis"
import { seededRandom } from "@tapeline/quant"

const hourMs = 3_600_000

/** Creates a chart of a random walk that starts at `price`. `overrides` replace fields of the chart. */
export const makeTestChart = (
  { bars = 60, price = 100, seed = 1, stepMs = hourMs, ...overrides }:
    & { readonly bars?: number; readonly price?: number; readonly seed?: number }
    & Partial<Omit<Chart, "time" | "open" | "high" | "low" | "close">> = {}
): Chart => {
  const random = seededRandom(seed)
  const [open, high, low, close] = [0, 0, 0, 0].map(() => new Float64Array(bars))
  let last = price
  for (let i = 0; i < bars; i++) {
    open![i] = last
    close![i] = last * (1 + (random() - 0.5) / 50)
    high![i] = Math.max(last, close![i]!) * (1 + random() / 200)
    low![i] = Math.min(last, close![i]!) * (1 - random() / 200)
    last = close![i]!
  }
  const from = Date.UTC(2026, 10, 20)
  const chart: Chart = {
    theme: "dark",
    width: chartWidth,
    height: getChartHeight(overrides.panels?.length ?? 0),
    instrument: "BTC",
    name: "Bitcoin",
    tf: "1h",
    stepMs,
    currency: "USD",
    source: "simulated",
    asOf: from + bars * stepMs,
    time: Float64Array.from({ length: bars }, (_, i) => from + i * stepMs),
    open: open!,
    high: high!,
    low: low!,
    close: close!,
    running: true,
    lines: [],
    bands: null,
    levels: [],
    liquidations: [],
    panels: [],
    language: "en",
    words: {
      volume: "Volume",
      funding: "Funding",
      oi: "Open interest",
      score: "Score",
      yearly: "a year",
      asOf: "as of",
      running: "running",
      longs: "long liquidations",
      shorts: "short liquidations",
      none: "not recorded"
    }
  }
  return { ...chart, ...overrides }
}

export const makeTestPanels = (bars: number, getValue: (bar: number) => number): ReadonlyArray<ChartPanelData> => {
  const values = Float64Array.from({ length: bars }, (_, i) => getValue(i))
  return [
    { _tag: "volume", values },
    { _tag: "rsi", values },
    { _tag: "macd", line: values, signal: values, histogram: values },
    { _tag: "funding", values, annualisedPct: null },
    { _tag: "oi", values },
    { _tag: "score", values }
  ]
}
