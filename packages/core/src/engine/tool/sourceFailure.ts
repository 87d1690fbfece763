import { Schema } from "effect"

/**
 * Why a source could not answer. `unreachable`: no connection, or no answer that can be used. `blocked`: it does not
 * serve the place that this service runs at. `filling`: it does answer, and what is recorded of it is not there yet as
 * what is asked for needs it.
 */
export const SourceFailure = Schema.Literals([
  "unreachable",
  "rate_limited",
  "malformed",
  "not_configured",
  "blocked",
  "filling"
])
export type SourceFailure = typeof SourceFailure.Type

/** How a tool reports the failure of a source. `no_network`: neither this source nor any other can be reached. */
export const ReportedFailure = Schema.Literals([...SourceFailure.literals, "no_network"])
export type ReportedFailure = typeof ReportedFailure.Type
