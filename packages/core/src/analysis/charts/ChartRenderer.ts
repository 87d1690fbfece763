import { Context, Effect } from "effect"
import type { ComputeError } from "../../engine/compute/Compute.ts"
import type { Chart } from "./chart.ts"
import { type DrawingTooLarge, NoChartRenderer } from "./errors.ts"

/** A rendered chart as SVG and PNG. */
export interface RenderedChart {
  /** The SVG document. A self-contained SVG loads nothing, runs no scripts, and names its fonts with fallbacks. */
  readonly svg: string
  readonly png: Uint8Array
  /** The size of the SVG and the PNG, in pixels. */
  readonly width: number
  readonly height: number
}

/** The maximum size of a rendered SVG or PNG, in bytes. */
export const maxRenderedBytes = 1024 * 1024

/**
 * Renders charts.
 *
 * - Rendering is deterministic: equal charts give identical bytes.
 * - PNG and SVG show identical content, in `width` times `height` pixels. PNG and SVG contain every text of the chart,
 *   in any script (Latin, Hangul, Cyrillic). The SVG contains escaped text, so no text of a chart becomes markup.
 * - A series that is all NaN leaves its panel empty, with a text about the missing data. A chart of 20 to 500 bars
 *   never fails because of its numbers, even if they are equal, tiny, huge or of one sign.
 * - The renderer blocks the calling thread only for a moment. Rendering fails as `Compute` does, only if it takes too
 *   long, crashes its worker, or too many charts wait.
 * - An image of more than `maxRenderedBytes` fails with `DrawingTooLarge`.
 *
 * Without an adapter, every chart fails with `NoChartRenderer`.
 */
export const ChartRenderer = Context.Reference<{
  readonly render: (chart: Chart) => Effect.Effect<RenderedChart, ComputeError | DrawingTooLarge | NoChartRenderer>
}>("@tapeline/core/charts/ChartRenderer", {
  defaultValue: () => ({ render: () => Effect.fail(new NoChartRenderer()) })
})
