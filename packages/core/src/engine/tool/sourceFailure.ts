import { Schema } from "effect"

/**
 * The reasons why a source has no answer. `unreachable` means no connection, or no usable response. `blocked` means
 * that the source does not serve the location of this service. `filling` means that the source's recorded history does
 * not yet cover the request.
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

/** The failure of a source as tools report it, with `no_network` if this service can reach no source at all. */
export const ReportedFailure = Schema.Literals([...SourceFailure.literals, "no_network"])
export type ReportedFailure = typeof ReportedFailure.Type
