import {
  type Chart,
  type ChartPanelData,
  formatCompact,
  formatGrouped,
  formatSignedPercent,
  getPriceDecimals
} from "@tapeline/core/charts"
import { extent, getStepDecimals, makeScale, type Scale } from "./axes.ts"
import type { ChartElement } from "./elements.ts"
import { findLastKnown } from "./header.ts"
import type { Palette } from "./palette.ts"

export interface Panel {
  readonly title: string
  /** The newest value of the panel as text, split into parts with separate colours. */
  readonly values: ReadonlyArray<{ readonly text: string; readonly color: string }>
  readonly scale: Scale
  readonly formatLabel: (value: number) => string
  /** The values at which the panel shows horizontal lines. */
  readonly guides: ReadonlyArray<number>
  readonly zone: readonly [number, number] | null
  readonly series: ReadonlyArray<ChartElement>
  readonly isEmpty: boolean
}

/** Returns a column of values as ECharts data, where "-" means no value. */
export const toSeriesData = (values: Float64Array, blankCount: number): ReadonlyArray<number | string> => [
  ...Array.from({ length: blankCount }, () => "-"),
  ...Array.from(values, (value) => Number.isNaN(value) ? "-" : value)
]

const makeBarSeries = (
  values: Float64Array,
  blankCount: number,
  getColor: (value: number, bar: number) => string
): ChartElement => ({
  type: "bar",
  barWidth: "66%",
  large: false,
  data: [
    ...Array.from({ length: blankCount }, () => "-"),
    ...Array.from(
      values,
      (value, bar) => Number.isNaN(value) ? "-" : { value, itemStyle: { color: getColor(value, bar) } }
    )
  ]
})

export const makeLineSeries = (
  values: Float64Array,
  blankCount: number,
  color: string,
  overrides: ChartElement = {}
): ChartElement => ({
  type: "line",
  showSymbol: false,
  connectNulls: false,
  data: toSeriesData(values, blankCount),
  lineStyle: { color, width: 1.6 },
  itemStyle: { color },
  ...overrides
})

const makeFixedScale = (min: number, max: number, ticks: ReadonlyArray<number>): Scale => ({
  min,
  max,
  step: ticks.length > 1 ? ticks[1]! - ticks[0]! : max - min,
  ticks
})

const makeZeroScale = (...columns: ReadonlyArray<Float64Array>): Scale => makeScale(extent([0], ...columns)!, 4, 0.08)

const makeStepFormatter = (scale: Scale) => (value: number): string => formatGrouped(value, getStepDecimals(scale.step))

const orDash = (text: string | undefined): string => text ?? "–"

const formatLast = (values: Float64Array, format: (value: number) => string): string => {
  const value = findLastKnown(values)
  return orDash(value === undefined ? undefined : format(value))
}

type PanelContent = Omit<Panel, "isEmpty">
const noGuides = { guides: [], zone: null } as const

const makeVolumePanel = (
  values: Float64Array,
  { close, open, words }: Chart,
  palette: Palette,
  blankCount: number
): PanelContent => ({
  ...noGuides,
  title: words.volume,
  values: [{ text: formatLast(values, formatCompact), color: palette.text }],
  scale: { ...makeScale([0, extent(values)?.[1] || 1], 3, 0), min: 0, max: (extent(values)?.[1] || 1) * 1.08 },
  formatLabel: formatCompact,
  series: [makeBarSeries(values, blankCount, (_, bar) => close[bar]! < open[bar]! ? palette.downSoft : palette.upSoft)]
})

const makeRsiPanel = (values: Float64Array, palette: Palette, blankCount: number): PanelContent => ({
  title: "RSI 14",
  values: [{ text: formatLast(values, (value) => formatGrouped(value, 1)), color: palette.line }],
  scale: makeFixedScale(0, 100, [30, 50, 70]),
  formatLabel: (value) => formatGrouped(value, 0),
  guides: [30, 70],
  zone: [30, 70],
  series: [makeLineSeries(values, blankCount, palette.line)]
})

const makeMacdPanel = (
  { histogram, line, signal }: Extract<ChartPanelData, { readonly _tag: "macd" }>,
  palette: Palette,
  blankCount: number
): PanelContent => {
  const scale = makeZeroScale(line, signal, histogram)
  const format = (value: number): string =>
    formatGrouped(value, Math.min(14, getPriceDecimals(findLastKnown(line) ?? 1, "USD")))
  // Bars of a histogram that grow away from zero have a strong colour, and shrinking bars have a soft colour.
  const getColor = (value: number, bar: number): string => {
    const isGrowing = Math.abs(value) >= Math.abs(histogram[bar - 1] ?? 0)
    return value < 0 ? (isGrowing ? palette.down : palette.downSoft) : isGrowing ? palette.up : palette.upSoft
  }
  return {
    title: "MACD 12, 26, 9",
    values: [
      { text: formatLast(line, format), color: palette.ema50 },
      { text: formatLast(signal, format), color: palette.ema20 },
      { text: formatLast(histogram, format), color: (findLastKnown(histogram) ?? 0) < 0 ? palette.down : palette.up }
    ],
    scale,
    formatLabel: makeStepFormatter(scale),
    guides: [0],
    zone: null,
    series: [
      makeBarSeries(histogram, blankCount, getColor),
      makeLineSeries(line, blankCount, palette.ema50),
      makeLineSeries(signal, blankCount, palette.ema20)
    ]
  }
}

const makeFundingPanel = (
  { annualisedPct, values }: Extract<ChartPanelData, { readonly _tag: "funding" }>,
  { words }: Chart,
  palette: Palette,
  blankCount: number
): PanelContent => {
  const scale = makeZeroScale(values)
  const newest = findLastKnown(values)
  return {
    title: words.funding,
    values: newest === undefined ? [{ text: "–", color: palette.muted }] : [
      { text: formatSignedPercent(newest, 4), color: newest < 0 ? palette.down : palette.up },
      ...annualisedPct === null
        ? []
        : [{ text: `${formatSignedPercent(annualisedPct, 1)} ${words.yearly}`, color: palette.muted }]
    ],
    scale,
    formatLabel: (value) => `${makeStepFormatter(scale)(value)}%`,
    guides: [0],
    zone: null,
    series: [makeBarSeries(values, blankCount, (value) => value < 0 ? palette.downSoft : palette.upSoft)]
  }
}

const makeOpenInterestPanel = (
  values: Float64Array,
  { words }: Chart,
  palette: Palette,
  blankCount: number
): PanelContent => ({
  ...noGuides,
  title: words.oi,
  values: [{ text: formatLast(values, (value) => `${formatCompact(value)} USD`), color: palette.line }],
  scale: makeScale(extent(values) ?? [0, 1], 3, 0.1),
  formatLabel: formatCompact,
  series: [
    makeLineSeries(values, blankCount, palette.line, { areaStyle: { color: palette.lineFill, origin: "start" } })
  ]
})

/** The minimum absolute score, out of 100, at which the chart shows the score in the colour of rises or falls. */
const minBiasScore = 20

const makeScorePanel = (values: Float64Array, { words }: Chart, palette: Palette, blankCount: number): PanelContent => {
  const newest = findLastKnown(values)
  return {
    title: words.score,
    values: [{
      text: formatLast(values, (value) => formatGrouped(value, 0)),
      color: newest === undefined || Math.abs(newest) < minBiasScore
        ? palette.text
        : newest < 0
        ? palette.down
        : palette.up
    }],
    scale: makeFixedScale(-100, 100, [-100, 0, 100]),
    formatLabel: (value) => formatGrouped(value, 0),
    guides: [-minBiasScore, minBiasScore],
    zone: [-minBiasScore, minBiasScore],
    series: [
      makeBarSeries(
        values,
        blankCount,
        (value) => Math.abs(value) < minBiasScore ? `${palette.muted}88` : value < 0 ? palette.downSoft : palette.upSoft
      )
    ]
  }
}

const makePanelContent = (panel: ChartPanelData, chart: Chart, palette: Palette, blankCount: number): PanelContent => {
  switch (panel._tag) {
    case "volume":
      return makeVolumePanel(panel.values, chart, palette, blankCount)
    case "rsi":
      return makeRsiPanel(panel.values, palette, blankCount)
    case "macd":
      return makeMacdPanel(panel, palette, blankCount)
    case "funding":
      return makeFundingPanel(panel, chart, palette, blankCount)
    case "oi":
      return makeOpenInterestPanel(panel.values, chart, palette, blankCount)
    case "score":
      return makeScorePanel(panel.values, chart, palette, blankCount)
  }
}

export const makePanel = (panel: ChartPanelData, chart: Chart, palette: Palette, blankCount: number): Panel => ({
  ...makePanelContent(panel, chart, palette, blankCount),
  isEmpty: extent(panel._tag === "macd" ? panel.line : panel.values) === null
})
