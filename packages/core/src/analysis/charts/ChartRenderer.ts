import { Context, Effect } from "effect"
import type { ComputeError } from "../../engine/compute/Compute.ts"
import type { Chart } from "./chart.ts"
import { type DrawingTooLarge, NoChartRenderer } from "./errors.ts"

/** A rendered chart as SVG and PNG. */
export interface RenderedChart {
  /** The self-contained SVG document, which loads nothing, runs no scripts, and names its fonts with fallbacks. */
  readonly svg: string
  readonly png: Uint8Array
  /** The width of the SVG and the PNG, in pixels. */
  readonly width: number
  readonly height: number
}

/** The maximum size of a rendered SVG or PNG, in bytes. */
export const maxRenderedBytes = 1024 * 1024

/**
 * Renders charts.
 *
 * - Rendering is deterministic: equal charts give identical bytes.
 * - PNG and SVG show identical content in `width` times `height` pixels, with every text of the chart in any script.
 * - The SVG contains escaped text, so no text of a chart becomes markup.
 * - If all values of a series are NaN, its panel is empty and contains a text about the missing data.
 * - A chart of 20 to 500 bars never fails because of its numbers, even if they are equal, tiny, huge or of one sign.
 * - The renderer blocks the calling thread only for a moment. If rendering takes too long, crashes the worker, or too
 *   many charts wait, `render` fails with a `ComputeError`.
 * - An image of more than `maxRenderedBytes` fails with `DrawingTooLarge`.
 *
 * Without an adapter, every chart fails with `NoChartRenderer`.
 */
export const ChartRenderer = Context.Reference<{
  readonly render: (chart: Chart) => Effect.Effect<RenderedChart, ComputeError | DrawingTooLarge | NoChartRenderer>
}>("@tapeline/core/charts/ChartRenderer", {
  defaultValue: () => ({ render: () => Effect.fail(new NoChartRenderer()) })
})
