import type { Interval } from "@tapeline/core/market"
import { type EventRow, subtractRanges, toRanges } from "@tapeline/core/market/store"
import type { SocketEvent } from "../source/index.ts"
import type { EventRemoval } from "./collector.ts"

export type StreamEvent = SocketEvent<EventRow<never> | EventRemoval | null>

interface StreamBatch {
  readonly events: ReadonlyArray<EventRow<never>>
  /** The IDs of removed events, and prefixes that match the IDs of further removed events. */
  readonly removed: ReadonlyArray<string>
  readonly removedUnder: ReadonlyArray<string>
  readonly covers: ReadonlyArray<Interval>
  readonly lost: ReadonlyArray<Interval>
  /** The time from which all events are received, or undefined while the socket is not connected. */
  readonly coveredFrom: number | undefined
}

/** The newest version of each received event by ID, and the removed IDs. */
class EventSet {
  readonly events = new Map<string, EventRow<never>>()
  readonly removed = new Set<string>()
  readonly removedUnder = new Set<string>()

  apply(value: EventRow<never> | EventRemoval): void {
    if (!("removedId" in value)) {
      this.events.set(value.id, value)
      this.removed.delete(value.id)
      return
    }
    const { removedId } = value
    if (!removedId.endsWith("/")) {
      this.events.delete(removedId)
      this.removed.add(removedId)
      return
    }
    for (const id of this.events.keys()) if (id.startsWith(removedId)) this.events.delete(id)
    this.removedUnder.add(removedId)
  }
}

/** Combines socket events, in order, into one batch of events, covered intervals and lost intervals. */
export const foldStreamEvents = (
  coveredFrom: number | undefined,
  streamEvents: ReadonlyArray<StreamEvent>
): StreamBatch => {
  const eventSet = new EventSet()
  const covers: Array<Interval> = []
  const lost: Array<Interval> = []
  let coveredSince = coveredFrom
  const coverUntil = (to: number) => {
    if (coveredSince !== undefined && coveredSince < to) covers.push({ from: coveredSince, to })
  }
  for (const event of streamEvents) {
    switch (event._tag) {
      case "up":
        coveredSince ??= event.at
        break
      case "heard":
        if (event.value !== null) eventSet.apply(event.value)
        break
      case "alive":
        coverUntil(event.at)
        if (coveredSince !== undefined) coveredSince = Math.max(coveredSince, event.at)
        break
      case "gap":
        coverUntil(event.from)
        lost.push({ from: event.from, to: event.to })
        coveredSince = event.to
    }
  }
  const gaps = toRanges(lost)
  return {
    events: [...eventSet.events.values()],
    removed: [...eventSet.removed],
    removedUnder: [...eventSet.removedUnder],
    covers: subtractRanges(toRanges(covers), gaps),
    lost: gaps,
    coveredFrom: coveredSince
  }
}
