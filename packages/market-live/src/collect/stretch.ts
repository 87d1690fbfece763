import type { Interval } from "@tapeline/core/market"
import { type EventRow, ranges, without } from "@tapeline/core/market/store"
import type { SocketEvent } from "../source/index.ts"
import type { Forgotten } from "./collector.ts"

export type Heard = SocketEvent<EventRow<never> | Forgotten | null>

/** What some of what a socket tells says of a stretch of time. */
interface Stretch {
  readonly events: ReadonlyArray<EventRow<never>>
  /** Ids that are to be forgotten, and beginnings of ids. */
  readonly removed: ReadonlyArray<string>
  readonly removedUnder: ReadonlyArray<string>
  readonly covers: ReadonlyArray<Interval>
  readonly lost: ReadonlyArray<Interval>
  /** Everything from then on is being told; undefined while it is not up. */
  readonly coveredFrom: number | undefined
}

/** What is there of what was heard, each id once, the newest, and what is not there any more. */
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

/** Reads what a socket told, in order, beginning with what was told before. */
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
