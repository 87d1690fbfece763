import { Context, Effect } from "effect"
import type { ComputeError } from "../../engine/compute/Compute.ts"
import type { Chart } from "./chart.ts"
import { type DrawingTooLarge, NoChartRenderer } from "./errors.ts"

/** A rendered chart as SVG and PNG. */
export interface RenderedChart {
  /** An SVG document that loads no external resources, runs no scripts, and names fallback fonts. */
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
 * - PNG and SVG show identical content, and both are `width` by `height` pixels. The texts of a chart can be in any
 *   writing system.
 * - All texts in the SVG are escaped, so no text of a chart becomes markup.
 * - If all values of a series are NaN, the series' panel shows only a text about the missing data.
 * - A chart of 20 to 500 bars never fails because of its numbers. The numbers in a chart can be equal, tiny, huge or of
 *   one sign.
 * - The renderer blocks the calling thread only for a moment. `render` fails with a `ComputeError` if rendering takes
 *   too long, if the worker crashes, or if too many charts wait.
 * - An image of more than `maxRenderedBytes` fails with `DrawingTooLarge`.
 *
 * Without an adapter, every chart fails with `NoChartRenderer`.
 */
export const ChartRenderer = Context.Reference<{
  readonly render: (chart: Chart) => Effect.Effect<RenderedChart, ComputeError | DrawingTooLarge | NoChartRenderer>
}>("@tapeline/core/charts/ChartRenderer", {
  defaultValue: () => ({ render: () => Effect.fail(new NoChartRenderer()) })
})
