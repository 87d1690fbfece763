import { Context } from "effect"

/**
 * The public base URL of the service, without a trailing slash, such as `https://api.example.com`. Links in results
 * begin with the public base URL. The default is an empty text, which makes links relative paths.
 */
export const PublicBaseUrl = Context.Reference<string>("@tapeline/core/call/PublicBaseUrl", {
  defaultValue: () => ""
})

/** The URL path of charts, to which the id of a chart is appended. */
export const chartsPath = "/v1/charts"
