import { Context, Effect } from "effect"
import type { ComputeError } from "../../engine/compute/Compute.ts"
import type { Chart } from "./chart.ts"
import { type DrawingTooLarge, NoChartRenderer } from "./errors.ts"

/** A chart that was drawn, in both of its forms. */
export interface Drawing {
  /** Stands by itself: it loads nothing, runs nothing, and names its fonts with fallbacks. */
  readonly svg: string
  readonly png: Uint8Array
  /** Pixels, of both. */
  readonly width: number
  readonly height: number
}

/** What a form of a drawing may take at most, bytes. */
export const drawingBytes = 1024 * 1024

/**
 * Draws charts.
 *
 * - A drawing is a function of its chart: the same chart gives the same bytes.
 * - PNG and SVG show the same, in `width` times `height` pixels. Every text of the chart is in both, whatever script it
 *   is written in (Latin, Hangul, Cyrillic); in the SVG as text, escaped: no text of a chart becomes markup.
 * - A series that is all NaN leaves its panel empty and says so; no chart of 20 to 500 bars fails for its numbers,
 *   whether they are equal, tiny, huge or of one sign.
 * - It holds up the thread that asks for no more than a moment: it fails as `Compute` does where it takes too long,
 *   breaks what it runs in, or too many wait, and never beyond that.
 * - A form of more than `drawingBytes` fails with `DrawingTooLarge`.
 *
 * Left alone an engine has none, and every chart fails with `NoChartRenderer`.
 */
export const ChartRenderer = Context.Reference<{
  readonly draw: (chart: Chart) => Effect.Effect<Drawing, ComputeError | DrawingTooLarge | NoChartRenderer>
}>("@tapeline/core/charts/ChartRenderer", {
  defaultValue: () => ({ draw: () => Effect.fail(new NoChartRenderer()) })
})
