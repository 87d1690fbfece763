import { type Chart, grouped } from "@tapeline/core/charts"
import { fontFamily, textWidth } from "./fonts.ts"
import { headerOf } from "./header.ts"
import { type Box, type Layout, layoutOf } from "./layout.ts"
import { mainPieces, tagsOf, timePieces } from "./mainPieces.ts"
import { type Palette, paletteOf } from "./palette.ts"
import { lineOf, type PanelParts, panelPartsOf } from "./panelParts.ts"
import { line, type Piece, rect, text } from "./pieces.ts"
import type { Scale } from "./scale.ts"
import { timeMarks } from "./timeMarks.ts"

/** Pixels between two labels on the time axis. */
const timeRoom = 84

const xAxisOf = (gridIndex: number, slots: number): Piece => ({
  type: "category",
  gridIndex,
  data: Array.from({ length: slots }, (_, i) => i),
  show: false,
  boundaryGap: true
})

const yAxisOf = (gridIndex: number, { max, min }: Scale): Piece => ({ type: "value", gridIndex, min, max, show: false })

const gridOf = ({ height, left, top, width }: Box): Piece => ({ left, top, width, height, containLabel: false })

/** Splits a line that restarts into two lines that take turns, so that no stroke connects separate parts. */
const inTurns = (values: Float64Array, anew: ReadonlyArray<number>): ReadonlyArray<Float64Array> => {
  if (anew.length === 0) return [values]
  const starts = new Set(anew)
  const turns = [0, 1].map(() => new Float64Array(values.length).fill(NaN))
  let turn = 0
  for (const [i, value] of values.entries()) {
    if (starts.has(i)) turn = 1 - turn
    turns[turn]![i] = value
  }
  return turns
}

const overCandles = (chart: Chart, palette: Palette, blanks: number): ReadonlyArray<Piece> => {
  const { bands, lines } = chart
  const band = (values: Float64Array, dashed: boolean): Piece =>
    lineOf(values, blanks, palette.band, {
      lineStyle: { color: palette.band, width: 1.1, opacity: 0.85, type: dashed ? [4, 4] : "solid" }
    })
  return [
    ...bands === null ? [] : [
      // The area between the bands: the invisible lower band, with the width of the band stacked on it.
      lineOf(bands.lower, blanks, palette.band, { stack: "band", lineStyle: { opacity: 0 } }),
      lineOf(bands.upper.map((value, i) => value - bands.lower[i]!), blanks, palette.band, {
        stack: "band",
        lineStyle: { opacity: 0 },
        areaStyle: { color: palette.bandFill }
      }),
      band(bands.upper, false),
      band(bands.lower, false),
      band(bands.middle, true)
    ],
    ...lines.flatMap(({ anew, name, values }) =>
      inTurns(values, anew).map((part) => lineOf(part, blanks, palette[name], { z: 5 }))
    )
  ]
}

const candlesOf = (chart: Chart, palette: Palette, blanks: number, barWidth: number): Piece => ({
  type: "candlestick",
  z: 4,
  barWidth: Math.max(1, Math.min(18, barWidth * 0.68)),
  itemStyle: {
    color: palette.up,
    color0: palette.down,
    borderColor: palette.up,
    borderColor0: palette.down,
    borderColorDoji: palette.muted,
    borderWidth: 1
  },
  data: [
    ...Array.from({ length: blanks }, () => "-"),
    ...Array.from(chart.time, (_, i) => [chart.open[i], chart.close[i], chart.low[i], chart.high[i]])
  ]
})

/** Grid lines and labels at the marks of a value axis. */
const axisPieces = (
  box: Box,
  { marks, max, min }: Scale,
  label: (value: number) => string,
  palette: Palette,
  tags: ReadonlyArray<{ readonly y: number }> = []
): ReadonlyArray<Piece> =>
  marks.flatMap((value) => {
    const y = box.top + box.height * (max - value) / (max - min)
    if (y < box.top - 1 || y > box.top + box.height + 1) return []
    const right = box.left + box.width
    return [
      line({ x1: box.left, x2: right, y1: y, y2: y, color: palette.grid, z: -2 }),
      ...tags.some((tag) => Math.abs(tag.y - y) < 15)
        ? []
        : [{ ...text({ x: right + 10, y, text: label(value), color: palette.muted, size: 11 }), z: 20 }]
    ]
  })

const panelPieces = (box: Box, parts: PanelParts, chart: Chart, palette: Palette): ReadonlyArray<Piece> => {
  const { guides, scale: { max, min }, title, values, zone } = parts
  const yOf = (value: number): number => box.top + box.height * (max - value) / (max - min)
  const right = box.left + box.width
  let x = box.left + textWidth(title, 12) + 10
  const heads = values.map(({ color, text: said }) => {
    const piece = text({ x, y: box.top - 11, text: said, color })
    x += textWidth(said, 12) + 12
    return piece
  })
  return [
    line({ x1: 0, x2: chart.width, y1: box.top - 23, y2: box.top - 23, color: palette.border, z: 1 }),
    text({ x: box.left, y: box.top - 11, text: title, color: palette.muted }),
    ...heads,
    ...zone === null ? [] : [rect({
      x: box.left,
      y: yOf(zone[1]),
      width: box.width,
      height: yOf(zone[0]) - yOf(zone[1]),
      color: palette.zone,
      z: -3
    })],
    ...guides.map((value) =>
      line({ x1: box.left, x2: right, y1: yOf(value), y2: yOf(value), color: palette.border, dash: [4, 4], z: -1 })
    ),
    ...parts.isEmpty
      ? [text({
        x: box.left + box.width / 2,
        y: box.top + box.height / 2,
        text: chart.words.none,
        color: palette.muted,
        align: "center"
      })]
      : axisPieces(box, parts.scale, parts.label, palette)
  ]
}

/** The options with which the drawing library draws a chart. */
export const pictureOf = (chart: Chart): Piece => {
  const palette = paletteOf(chart.theme)
  const layout: Layout = layoutOf(chart)
  const slots = Math.max(20, chart.time.length)
  const blanks = slots - chart.time.length
  const parts = chart.panels.map((panel) => panelPartsOf(panel, chart, palette, blanks))
  const tags = tagsOf(chart, layout, palette)
  const marks = timeMarks(chart, timeRoom / layout.barWidth)
  const inGrid = (index: number) => (series: Piece): Piece => ({
    animation: false,
    silent: true,
    emphasis: { disabled: true },
    xAxisIndex: index,
    yAxisIndex: index,
    ...series
  })
  const boxes = [layout.main, ...layout.panels]
  const bottom = boxes.at(-1)!
  return {
    animation: false,
    backgroundColor: palette.background,
    textStyle: { fontFamily },
    grid: boxes.map(gridOf),
    xAxis: boxes.map((_, i) => xAxisOf(i, slots)),
    yAxis: [yAxisOf(0, layout.price), ...parts.map(({ scale }, i) => yAxisOf(i + 1, scale))],
    series: [
      ...[...overCandles(chart, palette, blanks), candlesOf(chart, palette, blanks, layout.barWidth)].map(inGrid(0)),
      ...parts.flatMap(({ series }, i) => series.map(inGrid(i + 1)))
    ],
    graphic: [
      ...marks.map(({ bar, strong }) =>
        line({
          x1: layout.barX(bar),
          x2: layout.barX(bar),
          y1: layout.main.top,
          y2: bottom.top + bottom.height,
          color: strong ? palette.border : palette.grid,
          z: -4
        })
      ),
      ...headerOf(chart, layout, palette),
      ...axisPieces(layout.main, layout.price, (value) => grouped(value, layout.markDecimals), palette, tags),
      ...layout.panels.flatMap((box, i) => panelPieces(box, parts[i]!, chart, palette)),
      ...mainPieces(chart, layout, palette, tags),
      ...timePieces(chart, layout, marks, palette)
    ]
  }
}
