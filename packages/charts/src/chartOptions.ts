import { type Chart, formatGrouped } from "@tapeline/core/charts"
import { makeTimeTicks, type Scale } from "./axes.ts"
import { type ChartElement, line, rect, text } from "./elements.ts"
import { fontFamily, measureTextWidth } from "./fonts.ts"
import { makeHeader } from "./header.ts"
import { type Box, type Layout, makeLayout } from "./layout.ts"
import { getPalette, type Palette } from "./palette.ts"
import { makeLineSeries, makePanel, type Panel } from "./panels.ts"
import { drawPriceArea, drawTimeAxis, makePriceTags } from "./priceArea.ts"

/** The minimum distance between two labels of the time axis, in pixels. */
const minTickSpacing = 84

const makeXAxis = (gridIndex: number, slotCount: number): ChartElement => ({
  type: "category",
  gridIndex,
  data: Array.from({ length: slotCount }, (_, i) => i),
  show: false,
  boundaryGap: true
})

const makeYAxis = (gridIndex: number, { max, min }: Scale): ChartElement => ({
  type: "value",
  gridIndex,
  min,
  max,
  show: false
})

const makeGrid = ({ height, left, top, width }: Box): ChartElement => ({
  left,
  top,
  width,
  height,
  containLabel: false
})

/**
 * Splits a line into two lines that alternate at the bars in `restartBars`. A chart line therefore has no stroke across
 * a restart.
 */
const splitAtRestarts = (values: Float64Array, restartBars: ReadonlyArray<number>): ReadonlyArray<Float64Array> => {
  if (restartBars.length === 0) return [values]
  const starts = new Set(restartBars)
  const parts = [0, 1].map(() => new Float64Array(values.length).fill(NaN))
  let partIndex = 0
  for (const [i, value] of values.entries()) {
    if (starts.has(i)) partIndex = 1 - partIndex
    parts[partIndex]![i] = value
  }
  return parts
}

const makeOverlaySeries = (chart: Chart, palette: Palette, blankCount: number): ReadonlyArray<ChartElement> => {
  const { bands, lines } = chart
  const makeBandLine = (values: Float64Array, dashed: boolean): ChartElement =>
    makeLineSeries(values, blankCount, palette.band, {
      lineStyle: { color: palette.band, width: 1.1, opacity: 0.85, type: dashed ? [4, 4] : "solid" }
    })
  return [
    ...bands === null ? [] : [
      // The filled area between the bands consists of the invisible lower band and, stacked on top, the bands'
      // distance.
      makeLineSeries(bands.lower, blankCount, palette.band, { stack: "band", lineStyle: { opacity: 0 } }),
      makeLineSeries(bands.upper.map((value, i) => value - bands.lower[i]!), blankCount, palette.band, {
        stack: "band",
        lineStyle: { opacity: 0 },
        areaStyle: { color: palette.bandFill }
      }),
      makeBandLine(bands.upper, false),
      makeBandLine(bands.lower, false),
      makeBandLine(bands.middle, true)
    ],
    ...lines.flatMap(({ restartBars, name, values }) =>
      splitAtRestarts(values, restartBars).map((part) => makeLineSeries(part, blankCount, palette[name], { z: 5 }))
    )
  ]
}

const makeCandleSeries = (chart: Chart, palette: Palette, blankCount: number, barWidth: number): ChartElement => ({
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
    ...Array.from({ length: blankCount }, () => "-"),
    ...Array.from(chart.time, (_, i) => [chart.open[i], chart.close[i], chart.low[i], chart.high[i]])
  ]
})

const drawAxis = (
  box: Box,
  { ticks, max, min }: Scale,
  formatLabel: (value: number) => string,
  palette: Palette,
  tags: ReadonlyArray<{ readonly y: number }> = []
): ReadonlyArray<ChartElement> =>
  ticks.flatMap((value) => {
    const y = box.top + box.height * (max - value) / (max - min)
    if (y < box.top - 1 || y > box.top + box.height + 1) return []
    const right = box.left + box.width
    return [
      line({ x1: box.left, x2: right, y1: y, y2: y, color: palette.grid, z: -2 }),
      ...tags.some((tag) => Math.abs(tag.y - y) < 15)
        ? []
        : [{ ...text({ x: right + 10, y, text: formatLabel(value), color: palette.muted, size: 11 }), z: 20 }]
    ]
  })

const drawPanel = (box: Box, panel: Panel, chart: Chart, palette: Palette): ReadonlyArray<ChartElement> => {
  const { guides, scale: { max, min }, title, values, zone } = panel
  const toY = (value: number): number => box.top + box.height * (max - value) / (max - min)
  const right = box.left + box.width
  let x = box.left + measureTextWidth(title, 12) + 10
  const valueTexts = values.map(({ color, text: valueText }) => {
    const piece = text({ x, y: box.top - 11, text: valueText, color })
    x += measureTextWidth(valueText, 12) + 12
    return piece
  })
  return [
    line({ x1: 0, x2: chart.width, y1: box.top - 23, y2: box.top - 23, color: palette.border, z: 1 }),
    text({ x: box.left, y: box.top - 11, text: title, color: palette.muted }),
    ...valueTexts,
    ...zone === null ? [] : [rect({
      x: box.left,
      y: toY(zone[1]),
      width: box.width,
      height: toY(zone[0]) - toY(zone[1]),
      color: palette.zone,
      z: -3
    })],
    ...guides.map((value) =>
      line({ x1: box.left, x2: right, y1: toY(value), y2: toY(value), color: palette.border, dash: [4, 4], z: -1 })
    ),
    ...panel.isEmpty
      ? [text({
        x: box.left + box.width / 2,
        y: box.top + box.height / 2,
        text: chart.words.none,
        color: palette.muted,
        align: "center"
      })]
      : drawAxis(box, panel.scale, panel.formatLabel, palette)
  ]
}

export const makeChartOptions = (chart: Chart): ChartElement => {
  const palette = getPalette(chart.theme)
  const layout: Layout = makeLayout(chart)
  const slotCount = Math.max(20, chart.time.length)
  const blankCount = slotCount - chart.time.length
  const panels = chart.panels.map((panel) => makePanel(panel, chart, palette, blankCount))
  const tags = makePriceTags(chart, layout, palette)
  const ticks = makeTimeTicks(chart, minTickSpacing / layout.barWidth)
  const placeInGrid = (index: number) => (series: ChartElement): ChartElement => ({
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
    grid: boxes.map(makeGrid),
    xAxis: boxes.map((_, i) => makeXAxis(i, slotCount)),
    yAxis: [makeYAxis(0, layout.price), ...panels.map(({ scale }, i) => makeYAxis(i + 1, scale))],
    series: [
      ...[
        ...makeOverlaySeries(chart, palette, blankCount),
        makeCandleSeries(chart, palette, blankCount, layout.barWidth)
      ].map(placeInGrid(0)),
      ...panels.flatMap(({ series }, i) => series.map(placeInGrid(i + 1)))
    ],
    graphic: [
      ...ticks.map(({ bar, isMajor }) =>
        line({
          x1: layout.barX(bar),
          x2: layout.barX(bar),
          y1: layout.main.top,
          y2: bottom.top + bottom.height,
          color: isMajor ? palette.border : palette.grid,
          z: -4
        })
      ),
      ...makeHeader(chart, layout, palette),
      ...drawAxis(layout.main, layout.price, (value) => formatGrouped(value, layout.tickDecimals), palette, tags),
      ...layout.panels.flatMap((box, i) => drawPanel(box, panels[i]!, chart, palette)),
      ...drawPriceArea(chart, layout, palette, tags),
      ...drawTimeAxis(chart, layout, ticks, palette)
    ]
  }
}
