import type { Interval } from "@tapeline/core/market"
import { type EventRow, ranges, without } from "@tapeline/core/market/store"
import type { SocketEvent } from "../source/index.ts"
import type { Forgotten } from "./collector.ts"

export type Heard = SocketEvent<EventRow<never> | Forgotten | null>

/** The content of some socket events, as events and coverage of time. */
interface Stretch {
  readonly events: ReadonlyArray<EventRow<never>>
  /** Ids to remove (`removed`), and prefixes of ids to remove (`removedUnder`). */
  readonly removed: ReadonlyArray<string>
  readonly removedUnder: ReadonlyArray<string>
  readonly covers: ReadonlyArray<Interval>
  readonly lost: ReadonlyArray<Interval>
  /** The time from which everything is received; undefined while the socket is not up. */
  readonly coveredFrom: number | undefined
}

/** The newest version of each received event by id, and the removed ids. */
class Present {
  readonly events = new Map<string, EventRow<never>>()
  readonly removed = new Set<string>()
  readonly removedUnder = new Set<string>()

  heard(value: EventRow<never> | Forgotten): void {
    if (!("forgotten" in value)) {
      this.events.set(value.id, value)
      this.removed.delete(value.id)
      return
    }
    const { forgotten } = value
    if (!forgotten.endsWith("/")) {
      this.events.delete(forgotten)
      this.removed.add(forgotten)
      return
    }
    for (const id of this.events.keys()) if (id.startsWith(forgotten)) this.events.delete(id)
    this.removedUnder.add(forgotten)
  }
}

/** Reads the events of a socket in their order, and continues from the earlier coverage. */
export const stretchOf = (coveredFrom: number | undefined, heard: ReadonlyArray<Heard>): Stretch => {
  const present = new Present()
  const covers: Array<Interval> = []
  const lost: Array<Interval> = []
  let begin = coveredFrom
  const coverUntil = (to: number) => {
    if (begin !== undefined && begin < to) covers.push({ from: begin, to })
  }
  for (const event of heard) {
    switch (event._tag) {
      case "up":
        begin ??= event.at
        break
      case "heard":
        if (event.value !== null) present.heard(event.value)
        break
      case "alive":
        coverUntil(event.at)
        if (begin !== undefined) begin = Math.max(begin, event.at)
        break
      case "gap":
        coverUntil(event.from)
        lost.push({ from: event.from, to: event.to })
        begin = event.to
    }
  }
  const gaps = ranges(lost)
  return {
    events: [...present.events.values()],
    removed: [...present.removed],
    removedUnder: [...present.removedUnder],
    covers: without(ranges(covers), gaps),
    lost: gaps,
    coveredFrom: begin
  }
}
