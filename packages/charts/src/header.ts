import { type Chart, formatGrouped, formatSignedPercent } from "@tapeline/core/charts"
import { type ChartElement, circle, rect, text } from "./elements.ts"
import { measureTextWidth, truncateToWidth } from "./fonts.ts"
import type { Layout } from "./layout.ts"
import type { Palette } from "./palette.ts"

const lineNames = { ema20: "EMA 20", ema50: "EMA 50", ema200: "EMA 200", vwap: "VWAP" } as const

export const findLastKnown = (values: Float64Array): number | undefined =>
  values.findLast((value) => !Number.isNaN(value))

interface LegendEntry {
  readonly name: string
  readonly value: string
  readonly color: string
  /** Whether a dot precedes the name of the legend entry. */
  readonly hasDot?: boolean
}

const makeLegendEntries = (chart: Chart, { decimals }: Layout, palette: Palette): ReadonlyArray<LegendEntry> => {
  const formatPrice = (value: number | undefined): string => value === undefined ? "–" : formatGrouped(value, decimals)
  const { bands, liquidations, words } = chart
  return [
    ...chart.lines.map(({ name, values }) => ({
      name: lineNames[name],
      value: formatPrice(findLastKnown(values)),
      color: palette[name]
    })),
    ...bands === null ? [] : [{
      name: "BB 20, 2",
      value: `${formatPrice(findLastKnown(bands.lower))} – ${formatPrice(findLastKnown(bands.upper))}`,
      color: palette.band
    }],
    ...(["long", "short"] as const).flatMap((side) =>
      liquidations.some((one) => one.side === side)
        ? [{ name: side === "long" ? words.longs : words.shorts, value: "", color: palette[side], hasDot: true }]
        : []
    )
  ]
}

export const makeHeader = (chart: Chart, layout: Layout, palette: Palette): ReadonlyArray<ChartElement> => {
  const pieces: Array<ChartElement> = []
  const y = 24
  let x = layout.main.left
  const addText = (
    label: string,
    { bold = false, color = palette.text, gap = 10, size = 13 }: {
      readonly bold?: boolean
      readonly color?: string
      readonly gap?: number
      readonly size?: number
    } = {}
  ): void => {
    pieces.push(text({ x, y, text: label, color, size, bold }))
    // Texts in the bold font are 5 % wider than measured in the medium font.
    x += measureTextWidth(label, size) * (bold ? 1.05 : 1) + gap
  }
  const { asOf, close, currency, instrument, name, open, words } = chart
  addText(truncateToWidth(instrument, 21, 220), { bold: true, size: 21 })
  if (name !== instrument) addText(truncateToWidth(name, 14, 330), { color: palette.muted, size: 14 })
  const chipWidth = measureTextWidth(chart.tf, 12) + 14
  pieces.push(
    rect({ x, y: y - 10, width: chipWidth, height: 20, color: palette.grid, stroke: palette.border, radius: 4 })
  )
  pieces.push(text({ x: x + chipWidth / 2, y, text: chart.tf, color: palette.text, align: "center" }))
  x += chipWidth + 22
  const newest = close.at(-1)!
  const change = 100 * (newest / open[0]! - 1)
  addText(`${formatGrouped(newest, layout.decimals)} ${currency}`, { bold: true, size: 18 })
  if (Number.isFinite(change)) {
    addText(formatSignedPercent(change), { size: 14, color: change < 0 ? palette.down : palette.up })
  }
  const time = new Date(asOf).toISOString()
  const origin = `${chart.source} · ${words.asOf} ${time.slice(0, 10)} ${time.slice(11, 16)} UTC`
  const right = chart.width - 16
  pieces.push(text({
    x: right,
    y,
    text: truncateToWidth(origin, 12, Math.max(60, right - x - 12)),
    color: palette.muted,
    align: "right"
  }))
  return [...pieces, ...makeLegend(makeLegendEntries(chart, layout, palette), layout, palette)]
}

const makeLegend = (
  entries: ReadonlyArray<LegendEntry>,
  { main }: Layout,
  palette: Palette
): ReadonlyArray<ChartElement> => {
  let x = main.left
  return entries.flatMap(({ color, hasDot = false, name, value }) => {
    const textX = x + (hasDot ? 16 : 0)
    x = textX
    const width = measureTextWidth(name, 12)
    x += width + (value === "" ? 0 : 6 + measureTextWidth(value, 12)) + 20
    return [
      ...hasDot ? [circle({ x: textX - 9, y: 54, radius: 5, color: `${color}55`, stroke: color })] : [],
      text({ x: textX, y: 54, text: name, color }),
      ...value === "" ? [] : [text({ x: textX + width + 6, y: 54, text: value, color: palette.text })]
    ]
  })
}
