import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { KeyAuthorization } from "./authorization.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

/** The endpoint that returns chart images to the account whose calls drew the charts. */
export const chartsGroup = HttpApiGroup.make("charts", { topLevel: true })
  .add(
    HttpApiEndpoint.get("chart", "/v1/charts/:id", {
      params: {
        id: Schema.String.annotate({ description: "The chart's id, as `make_chart` tells it in its address" })
      },
      success: [
        Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "image/png" })),
        Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "image/svg+xml" }))
      ],
      error: problemSchemas("not_found")
    }).annotateMerge(OpenApi.annotations({
      identifier: "chart",
      summary: "Chart",
      description:
        "A chart that `make_chart` drew for the key's account: PNG, or SVG where `accept` prefers it. Costs no credits."
    }))
  )
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "Images that calls made.")
