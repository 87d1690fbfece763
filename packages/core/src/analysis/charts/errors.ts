import { Schema } from "effect"
import { type ConvertibleToToolFailure, ToolFailure } from "../../engine/tool/failure.ts"

/** The error for a rendered chart that exceeds the size limit. */
export class DrawingTooLarge extends Schema.TaggedError<DrawingTooLarge>()("DrawingTooLarge", { bytes: Schema.Int })
  implements ConvertibleToToolFailure
{
  override get message(): string {
    return `the chart has ${this.bytes} bytes, which is too large`
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", callerMessage: { key: "chart_too_large" }, retryable: false })
  }
}

/** The error of an engine without a chart renderer. */
export class NoChartRenderer extends Schema.TaggedError<NoChartRenderer>()("NoChartRenderer", {})
  implements ConvertibleToToolFailure
{
  override get message(): string {
    return "this engine has no ChartRenderer: provide one, such as layerCharts of @tapeline/charts"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", callerMessage: { key: "chart_none" }, retryable: false })
  }
}

/** The error of an engine without an artifact store. */
export class NoArtifactStore extends Schema.TaggedError<NoArtifactStore>()("NoArtifactStore", {})
  implements ConvertibleToToolFailure
{
  override get message(): string {
    return "this engine has no ArtifactStore: provide one, such as PgStores of @tapeline/postgres"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "source_unavailable", callerMessage: { key: "chart_none" }, retryable: false })
  }
}
