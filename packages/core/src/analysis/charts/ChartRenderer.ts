import { Context, Effect } from "effect"
import type { ComputeError } from "../../engine/compute/Compute.ts"
import type { Chart } from "./chart.ts"
import { type DrawingTooLarge, NoChartRenderer } from "./errors.ts"

/** A rendered chart in both forms. */
export interface RenderedChart {
  /** Self-contained: it loads nothing, runs nothing, and names its fonts with fallbacks. */
  readonly svg: string
  readonly png: Uint8Array
  /** The size of both forms, pixels. */
  readonly width: number
  readonly height: number
}

/** The maximum size of each form, bytes. */
export const maxRenderedBytes = 1024 * 1024

/**
 * Renders charts.
 *
 * - A drawing is a function of its chart: the same chart gives the same bytes.
 * - PNG and SVG show the same content, in `width` times `height` pixels. Both contain every text of the chart, in any
 *   script (Latin, Hangul, Cyrillic). The SVG contains escaped text, so no text of a chart becomes markup.
 * - A series that is all NaN leaves its panel empty, with a text that states this. A chart of 20 to 500 bars never
 *   fails because of its numbers, even if they are equal, tiny, huge or of one sign.
 * - It blocks the calling thread only for a moment. It fails as `Compute` does if it takes too long, crashes its
 *   worker, or too many charts wait, and for no other reason.
 * - A form of more than `maxRenderedBytes` fails with `DrawingTooLarge`.
 *
 * Without an adapter, every chart fails with `NoChartRenderer`.
 */
export const ChartRenderer = Context.Reference<{
  readonly render: (chart: Chart) => Effect.Effect<RenderedChart, ComputeError | DrawingTooLarge | NoChartRenderer>
}>("@tapeline/core/charts/ChartRenderer", {
  defaultValue: () => ({ render: () => Effect.fail(new NoChartRenderer()) })
})
