import { Context } from "effect"

/**
 * The public base URL of the service that runs a call, without a trailing slash (`https://api.example.com`). Results
 * prefix their links with it. A transport provides it with each call. The default is empty, so that links are paths.
 */
export const PublicBaseUrl = Context.Reference<string>("@tapeline/core/charts/PublicAddress", {
  defaultValue: () => ""
})

/** The path of charts, which their ids follow. */
export const chartsPath = "/v1/charts"
