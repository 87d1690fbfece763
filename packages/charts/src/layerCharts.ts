import { ChartRenderer, DrawingTooLarge, maxRenderedBytes } from "@tapeline/core/charts"
import { Compute } from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { drawJob } from "./drawJob.ts"

/** The URL of the module that contains the job that draws charts. The threads of a compute pool load this module. */
export const chartJobs: string = new URL(
  import.meta.url.endsWith(".ts") ? "./jobs.ts" : "./jobs.js",
  import.meta.url
).href

/**
 * Provides `ChartRenderer` with ECharts and resvg. A pool of compute threads must list `chartJobs` among its modules.
 * Without a pool, the caller's thread draws the charts.
 */
export const layerCharts: Layer.Layer<never> = Layer.effect(
  ChartRenderer,
  Effect.gen(function*() {
    const compute = yield* Compute
    return ChartRenderer.of({
      render: (chart) =>
        Effect.flatMap(compute.run(drawJob, chart), ({ png, svg }) => {
          const bytes = Math.max(png.length, Buffer.byteLength(svg))
          return bytes > maxRenderedBytes
            ? Effect.fail(new DrawingTooLarge({ bytes }))
            : Effect.succeed({ svg, png, width: chart.width, height: chart.height })
        })
    })
  })
)
