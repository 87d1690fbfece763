import { type Chart, grouped, signedPercent } from "@tapeline/core/charts"
import { fitted, textWidth } from "./fonts.ts"
import type { Layout } from "./layout.ts"
import type { Palette } from "./palette.ts"
import { circle, type Piece, rect, text } from "./pieces.ts"

const lineNames = { ema20: "EMA 20", ema50: "EMA 50", ema200: "EMA 200", vwap: "VWAP" } as const

export const last = (values: Float64Array): number | undefined => values.findLast((value) => !Number.isNaN(value))

interface Entry {
  readonly name: string
  readonly value: string
  readonly color: string
  /** Whether a dot precedes the name, as drawn over the candles. */
  readonly dot?: boolean
}

const legendOf = (chart: Chart, { decimals }: Layout, palette: Palette): ReadonlyArray<Entry> => {
  const price = (value: number | undefined): string => value === undefined ? "–" : grouped(value, decimals)
  const { bands, liquidations, words } = chart
  return [
    ...chart.lines.map(({ name, values }) => ({
      name: lineNames[name],
      value: price(last(values)),
      color: palette[name]
    })),
    ...bands === null ? [] : [{
      name: "BB 20, 2",
      value: `${price(last(bands.lower))} – ${price(last(bands.upper))}`,
      color: palette.band
    }],
    ...(["long", "short"] as const).flatMap((side) =>
      liquidations.some((one) => one.side === side)
        ? [{ name: side === "long" ? words.longs : words.shorts, value: "", color: palette[side], dot: true }]
        : []
    )
  ]
}

/** The header: the instrument, its price and change, and its source. The legend is below. */
export const headerOf = (chart: Chart, layout: Layout, palette: Palette): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  const y = 24
  let x = layout.main.left
  const put = (
    said: string,
    { bold = false, color = palette.text, gap = 10, size = 13 }: {
      readonly bold?: boolean
      readonly color?: string
      readonly gap?: number
      readonly size?: number
    } = {}
  ): void => {
    pieces.push(text({ x, y, text: said, color, size, bold }))
    // The bold font is wider by a twentieth.
    x += textWidth(said, size) * (bold ? 1.05 : 1) + gap
  }
  const { asOf, close, currency, instrument, name, open, words } = chart
  put(fitted(instrument, 21, 220), { bold: true, size: 21 })
  if (name !== instrument) put(fitted(name, 14, 330), { color: palette.muted, size: 14 })
  const chip = textWidth(chart.tf, 12) + 14
  pieces.push(rect({ x, y: y - 10, width: chip, height: 20, color: palette.grid, stroke: palette.border, radius: 4 }))
  pieces.push(text({ x: x + chip / 2, y, text: chart.tf, color: palette.text, align: "center" }))
  x += chip + 22
  const newest = close.at(-1)!
  const change = 100 * (newest / open[0]! - 1)
  put(`${grouped(newest, layout.decimals)} ${currency}`, { bold: true, size: 18 })
  if (Number.isFinite(change)) {
    put(signedPercent(change), { size: 14, color: change < 0 ? palette.down : palette.up })
  }
  const time = new Date(asOf).toISOString()
  const origin = `${chart.source} · ${words.asOf} ${time.slice(0, 10)} ${time.slice(11, 16)} UTC`
  const right = chart.width - 16
  pieces.push(text({
    x: right,
    y,
    text: fitted(origin, 12, Math.max(60, right - x - 12)),
    color: palette.muted,
    align: "right"
  }))
  return [...pieces, ...legendPieces(legendOf(chart, layout, palette), layout, palette)]
}

const legendPieces = (entries: ReadonlyArray<Entry>, { main }: Layout, palette: Palette): ReadonlyArray<Piece> => {
  let x = main.left
  return entries.flatMap(({ color, dot = false, name, value }) => {
    const at = x + (dot ? 16 : 0)
    x = at
    const width = textWidth(name, 12)
    x += width + (value === "" ? 0 : 6 + textWidth(value, 12)) + 20
    return [
      ...dot ? [circle({ x: at - 9, y: 54, radius: 5, color: `${color}55`, stroke: color })] : [],
      text({ x: at, y: 54, text: name, color }),
      ...value === "" ? [] : [text({ x: at + width + 6, y: 54, text: value, color: palette.text })]
    ]
  })
}
