import { minuteMs } from "@tapeline/core/market"
import type { SourceState } from "../source/index.ts"

/** Whether the sources can be reached at all. `unreachable`: all of at least three fail, as without a network. */
export type Network = "reachable" | "unknown" | "unreachable"

/** What an operator can do about a network that is unreachable. */
export const networkAdvice =
  "is there a network? If this machine reaches the internet through a proxy, set HTTPS_PROXY; if it is set, check it"

/** A venue with several hosts counts once. */
const minVenues = 3

/** An answer that is older than the newest failed connection by more than this does not prove that a network exists. */
const maxAnswerAgeMs = 3 * minuteMs

const venueOf = ({ source }: SourceState): string => source.split("/")[0]!

const isUnreachable = ({ lastFault, state }: SourceState): boolean =>
  state === "failing" && lastFault?.failure === "unreachable"

/** When a source last answered a request, even with a refusal. */
const answeredAt = (state: SourceState): number =>
  Math.max(state.lastSuccessAt ?? -Infinity, isUnreachable(state) ? -Infinity : state.lastFault?.at ?? -Infinity)

/** A network that cannot be reached. */
export interface Outage {
  /** The first failed connection after the newest answer of any source. */
  readonly since: number
  /** The most frequent reason. */
  readonly reason: string
}

const mostFrequent = (reasons: ReadonlyArray<string>): string => {
  const [mostCommon] = [...Map.groupBy(reasons, (reason) => reason).values()].sort((a, b) => b.length - a.length)
  return mostCommon?.[0] ?? "unreachable"
}

/** Whether the sources that were asked can be reached, and the outage if they cannot. */
const assessNetwork = (states: ReadonlyArray<SourceState>): Exclude<Network, "unreachable"> | Outage => {
  const used = states.filter(({ lastFault, state }) => state !== "unknown" && lastFault?.failure !== "not_configured")
  const unreachable = used.filter(isUnreachable)
  const newestFault = Math.max(...unreachable.map(({ lastFault }) => lastFault?.at ?? -Infinity))
  if (used.some((one) => !isUnreachable(one) && answeredAt(one) >= newestFault - maxAnswerAgeMs)) return "reachable"
  if (new Set(unreachable.map(venueOf)).size < minVenues) return "unknown"
  const newestAnswer = Math.max(...used.map(answeredAt))
  const startTimes = unreachable.flatMap(({ unavailableSince }) =>
    unavailableSince !== null && unavailableSince >= newestAnswer ? unavailableSince : []
  )
  return {
    since: startTimes.length === 0 ? newestAnswer : Math.min(...startTimes),
    reason: mostFrequent(unreachable.flatMap(({ lastFault }) => lastFault?.reason ?? []))
  }
}

/** Returns the outage of the network. Undefined if a source can be reached, or too few were asked. */
export const outageOf = (states: ReadonlyArray<SourceState>): Outage | undefined => {
  const assessment = assessNetwork(states)
  return typeof assessment === "string" ? undefined : assessment
}

/** Whether the sources that were asked can be reached. */
export const networkOf = (states: ReadonlyArray<SourceState>): Network => {
  const assessment = assessNetwork(states)
  return typeof assessment === "string" ? assessment : "unreachable"
}
