import { fontFamily } from "./fonts.ts"

export type ChartElement = Readonly<Record<string, unknown>>

interface TextOptions {
  readonly x: number
  readonly y: number
  readonly text: string
  readonly color: string
  readonly size?: number
  readonly bold?: boolean
  readonly align?: "left" | "right" | "center"
  readonly opacity?: number
}

/** Removes characters that XML cannot contain, and characters that change the direction of text. */
export const removeUnsafeCharacters = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\uFFFE\uFFFF]/gu, "")

export const text = (
  { align = "left", bold = false, color, opacity = 1, size = 12, text, x, y }: TextOptions
): ChartElement => ({
  type: "text",
  x,
  y,
  silent: true,
  z: 30,
  style: {
    text: removeUnsafeCharacters(text),
    fill: color,
    opacity,
    fontFamily,
    fontSize: size,
    fontWeight: bold ? 600 : 500,
    textAlign: align,
    textVerticalAlign: "middle"
  }
})

export const rect = (
  { color, height, radius = 0, stroke, width, x, y, z = 29 }: {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
    readonly color: string
    readonly stroke?: string
    readonly radius?: number
    readonly z?: number
  }
): ChartElement => ({
  type: "rect",
  silent: true,
  z,
  shape: { x, y, width, height, r: radius },
  style: stroke === undefined ? { fill: color } : { fill: color, stroke, lineWidth: 1 }
})

export const line = (
  { color, dash, width = 1, x1, x2, y1, y2, z = 2 }: {
    readonly x1: number
    readonly y1: number
    readonly x2: number
    readonly y2: number
    readonly color: string
    readonly width?: number
    readonly dash?: ReadonlyArray<number>
    readonly z?: number
  }
): ChartElement => ({
  type: "line",
  silent: true,
  z,
  shape: { x1, y1, x2, y2, subPixelOptimize: true },
  style: { stroke: color, lineWidth: width, ...dash === undefined ? {} : { lineDash: dash } }
})

export const circle = (
  { color, radius, stroke, x, y }: {
    readonly x: number
    readonly y: number
    readonly radius: number
    readonly color: string
    readonly stroke: string
  }
): ChartElement => ({
  type: "circle",
  silent: true,
  z: 12,
  shape: { cx: x, cy: y, r: radius },
  style: { fill: color, stroke, lineWidth: 1.2, opacity: 0.9 }
})
