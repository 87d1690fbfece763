import { Context } from "effect"

/**
 * The public base URL of the service that runs a call, without a trailing slash (`https://api.example.com`), for the
 * links in results. The default is empty, so that links are paths.
 */
export const PublicBaseUrl = Context.Reference<string>("@tapeline/core/call/PublicBaseUrl", {
  defaultValue: () => ""
})

/** The URL path under which charts are served, by id. */
export const chartsPath = "/v1/charts"
