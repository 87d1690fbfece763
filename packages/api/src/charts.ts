import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { KeyAuthorization } from "./authorization.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

/**
 * The endpoint that returns the image of a chart. Only the account whose tool call drew the chart can read the image.
 */
export const chartsGroup = HttpApiGroup.make("charts", { topLevel: true })
  .add(
    HttpApiEndpoint.get("chart", "/v1/charts/:id", {
      params: {
        id: Schema.String.annotate({ description: "The id of the chart, from the URL that `make_chart` returned" })
      },
      success: [
        Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "image/png" })),
        Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "image/svg+xml" }))
      ],
      error: problemSchemas("not_found")
    }).annotateMerge(OpenApi.annotations({
      identifier: "chart",
      summary: "Get a chart",
      description:
        "Returns a chart that `make_chart` drew for the key's account, as PNG, or as SVG if `accept` prefers SVG. Costs no credits."
    }))
  )
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "Images of charts that tool calls drew.")
