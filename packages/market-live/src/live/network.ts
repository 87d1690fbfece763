import { minuteMs } from "@tapeline/core/market"
import type { SourceState } from "../source/index.ts"

/** Whether sources are reachable, where `unreachable` means that all used sources of at least three venues fail. */
export type Network = "reachable" | "unknown" | "unreachable"

/** The advice for operators whose network is unreachable. */
export const networkAdvice =
  "check the network; if this machine reaches the internet through a proxy, set or check HTTPS_PROXY"

/**
 * The minimum number of unreachable venues that proves a network outage, where a venue with several hosts counts once.
 */
const minVenues = 3

/**
 * The maximum time by which a source's last response may precede the newest failed connection. If a source responded
 * more recently, the network counts as reachable.
 */
const maxAnswerAgeMs = 3 * minuteMs

const venueOf = ({ source }: SourceState): string => source.split("/")[0]!

const isUnreachable = ({ lastFault, state }: SourceState): boolean =>
  state === "failing" && lastFault?.failure === "unreachable"

/** Returns the time at which a source last responded, even with a rejection. */
const answeredAt = (state: SourceState): number =>
  Math.max(state.lastSuccessAt ?? -Infinity, isUnreachable(state) ? -Infinity : state.lastFault?.at ?? -Infinity)

/** An outage of the whole network: no source is reachable. */
export interface Outage {
  /** The time of the first failed connection after the last response from any source. */
  readonly since: number
  /** The most frequent failure reason of the sources. */
  readonly reason: string
}

const mostFrequent = (reasons: ReadonlyArray<string>): string => {
  const [mostCommon] = [...Map.groupBy(reasons, (reason) => reason).values()].sort((a, b) => b.length - a.length)
  return mostCommon?.[0] ?? "unreachable"
}

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

/** Returns the outage of the network, or undefined if a source is reachable or too few sources were used. */
export const outageOf = (states: ReadonlyArray<SourceState>): Outage | undefined => {
  const assessment = assessNetwork(states)
  return typeof assessment === "string" ? undefined : assessment
}

export const networkOf = (states: ReadonlyArray<SourceState>): Network => {
  const assessment = assessNetwork(states)
  return typeof assessment === "string" ? assessment : "unreachable"
}
