import { Schema } from "effect"

/**
 * The reasons why a source returned no data. `unreachable` means that there was no connection or no usable response.
 * `blocked` means that the source does not serve the location of this service. `filling` means that the source's
 * recorded history does not cover the requested time yet.
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

/**
 * The reason why a source failed, as tools report it. `no_network` means that this service can reach no source at all.
 */
export const ReportedFailure = Schema.Literals([...SourceFailure.literals, "no_network"])
export type ReportedFailure = typeof ReportedFailure.Type
