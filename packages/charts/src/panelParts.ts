import { type Chart, type ChartPanelData, compact, grouped, priceDecimals, signedPercent } from "@tapeline/core/charts"
import { last } from "./header.ts"
import type { Palette } from "./palette.ts"
import type { Piece } from "./pieces.ts"
import { extent, type Scale, scaleOf, stepDecimals } from "./scale.ts"

/** The parts from which a panel is drawn. */
export interface PanelParts {
  readonly title: string
  /** The newest value, in parts with their own colours. */
  readonly values: ReadonlyArray<{ readonly text: string; readonly color: string }>
  readonly scale: Scale
  readonly label: (value: number) => string
  /** Values of horizontal lines; `zone` is the range that is shaded. */
  readonly guides: ReadonlyArray<number>
  readonly zone: readonly [number, number] | null
  /** Series in the form of the drawing library, without their axes. */
  readonly series: ReadonlyArray<Piece>
  readonly isEmpty: boolean
}

/** A column in the form of the drawing library. "-" means no value. */
export const dataOf = (values: Float64Array, blanks: number): ReadonlyArray<number | string> => [
  ...Array.from({ length: blanks }, () => "-"),
  ...Array.from(values, (value) => Number.isNaN(value) ? "-" : value)
]

const barsOf = (values: Float64Array, blanks: number, colorOf: (value: number, bar: number) => string): Piece => ({
  type: "bar",
  barWidth: "66%",
  large: false,
  data: [
    ...Array.from({ length: blanks }, () => "-"),
    ...Array.from(
      values,
      (value, bar) => Number.isNaN(value) ? "-" : { value, itemStyle: { color: colorOf(value, bar) } }
    )
  ]
})

export const lineOf = (values: Float64Array, blanks: number, color: string, more: Piece = {}): Piece => ({
  type: "line",
  showSymbol: false,
  connectNulls: false,
  data: dataOf(values, blanks),
  lineStyle: { color, width: 1.6 },
  itemStyle: { color },
  ...more
})

const fixed = (min: number, max: number, marks: ReadonlyArray<number>): Scale => ({
  min,
  max,
  step: marks.length > 1 ? marks[1]! - marks[0]! : max - min,
  marks
})

/** A scale that includes zero, the base of bars. */
const aboutZero = (...columns: ReadonlyArray<Float64Array>): Scale => scaleOf(extent([0], ...columns)!, 4, 0.08)

const byStep = (scale: Scale) => (value: number): string => grouped(value, stepDecimals(scale.step))

const none = (text: string | undefined): string => text ?? "–"

const withLast = (values: Float64Array, write: (value: number) => string): string => {
  const value = last(values)
  return none(value === undefined ? undefined : write(value))
}

type Drawn = Omit<PanelParts, "isEmpty">
const plain = { guides: [], zone: null } as const

const volumeOf = (values: Float64Array, { close, open, words }: Chart, palette: Palette, blanks: number): Drawn => ({
  ...plain,
  title: words.volume,
  values: [{ text: withLast(values, compact), color: palette.text }],
  scale: { ...scaleOf([0, extent(values)?.[1] || 1], 3, 0), min: 0, max: (extent(values)?.[1] || 1) * 1.08 },
  label: compact,
  series: [barsOf(values, blanks, (_, bar) => close[bar]! < open[bar]! ? palette.downSoft : palette.upSoft)]
})

const rsiOf = (values: Float64Array, palette: Palette, blanks: number): Drawn => ({
  title: "RSI 14",
  values: [{ text: withLast(values, (value) => grouped(value, 1)), color: palette.line }],
  scale: fixed(0, 100, [30, 50, 70]),
  label: (value) => grouped(value, 0),
  guides: [30, 70],
  zone: [30, 70],
  series: [lineOf(values, blanks, palette.line)]
})

const macdOf = (
  { histogram, line, signal }: Extract<ChartPanelData, { readonly _tag: "macd" }>,
  palette: Palette,
  blanks: number
): Drawn => {
  const scale = aboutZero(line, signal, histogram)
  const write = (value: number): string => grouped(value, Math.min(14, priceDecimals(last(line) ?? 1, "USD")))
  // Bars that move away from zero have a strong colour, and bars that return have a soft one.
  const colorOf = (value: number, bar: number): string => {
    const grows = Math.abs(value) >= Math.abs(histogram[bar - 1] ?? 0)
    return value < 0 ? (grows ? palette.down : palette.downSoft) : grows ? palette.up : palette.upSoft
  }
  return {
    title: "MACD 12, 26, 9",
    values: [
      { text: withLast(line, write), color: palette.ema50 },
      { text: withLast(signal, write), color: palette.ema20 },
      { text: withLast(histogram, write), color: (last(histogram) ?? 0) < 0 ? palette.down : palette.up }
    ],
    scale,
    label: byStep(scale),
    guides: [0],
    zone: null,
    series: [
      barsOf(histogram, blanks, colorOf),
      lineOf(line, blanks, palette.ema50),
      lineOf(signal, blanks, palette.ema20)
    ]
  }
}

const fundingOf = (
  { annualisedPct, values }: Extract<ChartPanelData, { readonly _tag: "funding" }>,
  { words }: Chart,
  palette: Palette,
  blanks: number
): Drawn => {
  const scale = aboutZero(values)
  const newest = last(values)
  return {
    title: words.funding,
    values: newest === undefined ? [{ text: "–", color: palette.muted }] : [
      { text: signedPercent(newest, 4), color: newest < 0 ? palette.down : palette.up },
      ...annualisedPct === null
        ? []
        : [{ text: `${signedPercent(annualisedPct, 1)} ${words.yearly}`, color: palette.muted }]
    ],
    scale,
    label: (value) => `${byStep(scale)(value)}%`,
    guides: [0],
    zone: null,
    series: [barsOf(values, blanks, (value) => value < 0 ? palette.downSoft : palette.upSoft)]
  }
}

const interestOf = (values: Float64Array, { words }: Chart, palette: Palette, blanks: number): Drawn => ({
  ...plain,
  title: words.oi,
  values: [{ text: withLast(values, (value) => `${compact(value)} USD`), color: palette.line }],
  scale: scaleOf(extent(values) ?? [0, 1], 3, 0.1),
  label: compact,
  series: [lineOf(values, blanks, palette.line, { areaStyle: { color: palette.lineFill, origin: "start" } })]
})

/** A score is a bias if its absolute value is at least this. */
const biasFrom = 20

const scoreOf = (values: Float64Array, { words }: Chart, palette: Palette, blanks: number): Drawn => {
  const newest = last(values)
  return {
    title: words.score,
    values: [{
      text: withLast(values, (value) => grouped(value, 0)),
      color: newest === undefined || Math.abs(newest) < biasFrom
        ? palette.text
        : newest < 0
        ? palette.down
        : palette.up
    }],
    scale: fixed(-100, 100, [-100, 0, 100]),
    label: (value) => grouped(value, 0),
    guides: [-biasFrom, biasFrom],
    zone: [-biasFrom, biasFrom],
    series: [
      barsOf(
        values,
        blanks,
        (value) => Math.abs(value) < biasFrom ? `${palette.muted}88` : value < 0 ? palette.downSoft : palette.upSoft
      )
    ]
  }
}

const drawn = (panel: ChartPanelData, chart: Chart, palette: Palette, blanks: number): Drawn => {
  switch (panel._tag) {
    case "volume":
      return volumeOf(panel.values, chart, palette, blanks)
    case "rsi":
      return rsiOf(panel.values, palette, blanks)
    case "macd":
      return macdOf(panel, palette, blanks)
    case "funding":
      return fundingOf(panel, chart, palette, blanks)
    case "oi":
      return interestOf(panel.values, chart, palette, blanks)
    case "score":
      return scoreOf(panel.values, chart, palette, blanks)
  }
}

export const panelPartsOf = (panel: ChartPanelData, chart: Chart, palette: Palette, blanks: number): PanelParts => ({
  ...drawn(panel, chart, palette, blanks),
  isEmpty: extent(panel._tag === "macd" ? panel.line : panel.values) === null
})
