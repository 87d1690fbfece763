import type { SourceState } from "../source/index.ts"

/** Whether the sources can be reached at all. `unreachable`: none of at least three, as without a network. */
export type Network = "reachable" | "unknown" | "unreachable"

/** What an operator can do about a network that is unreachable. */
export const networkAdvice =
  "is there a network? If this machine reaches the internet through a proxy, set HTTPS_PROXY; if it is set, check it"

/** A venue with several hosts counts once. */
const minVenues = 3

const venueOf = ({ source }: SourceState): string => source.split("/")[0]!

/** Whether the sources that were asked can be reached. */
export const networkOf = (states: ReadonlyArray<SourceState>): Network => {
  const asked = states.filter(({ lastFault, state }) => state !== "unknown" && lastFault?.failure !== "not_configured")
  if (asked.some(({ lastFault, state }) => state !== "failing" || lastFault?.failure !== "unreachable")) {
    return "reachable"
  }
  return new Set(asked.map(venueOf)).size < minVenues ? "unknown" : "unreachable"
}
