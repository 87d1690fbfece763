import { Chart } from "@tapeline/core/charts"
import type { Job } from "@tapeline/core/engine"
import { Schema } from "effect"
import { pngOf, svgOf } from "./draw.ts"

const Drawn = Schema.Struct({ svg: Schema.String, png: Schema.Uint8Array })

/** Draws a chart as SVG and as PNG. */
export const drawJob: Job<Chart, typeof Drawn.Type> = {
  name: "draw_chart",
  input: Chart,
  output: Drawn,
  run: (chart) => {
    const svg = svgOf(chart)
    // Copies the bytes, because the library's own buffer cannot be transferred to another thread.
    return { svg, png: Uint8Array.from(pngOf(svg, chart.theme)) }
  }
}
