import type { Interval } from "@tapeline/core/market"
import { type EventRow, ranges, without } from "@tapeline/core/market/store"
import type { SocketEvent } from "../source/index.ts"

export type Heard = SocketEvent<EventRow<never> | null>

/** What some of what a socket tells says of a stretch of time. */
interface Stretch {
  readonly events: ReadonlyArray<EventRow<never>>
  readonly covers: ReadonlyArray<Interval>
  readonly lost: ReadonlyArray<Interval>
  /** Everything from then on is being told; undefined while it is not up. */
  readonly coveredFrom: number | undefined
}

/** Reads what a socket told, in order, beginning with what was told before. Each id once, the newest. */
export const stretchOf = (coveredFrom: number | undefined, heard: ReadonlyArray<Heard>): Stretch => {
  const events = new Map<string, EventRow<never>>()
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
        if (event.value !== null) events.set(event.value.id, event.value)
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
  return { events: [...events.values()], covers: without(ranges(covers), gaps), lost: gaps, coveredFrom: begin }
}
