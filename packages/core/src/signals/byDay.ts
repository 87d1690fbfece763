import { Effect } from "effect"
import { dayMs } from "../market/timeframe.ts"
import { BoundedCache } from "./BoundedCache.ts"

/** The hours of one UTC day that have closed by `until`, oldest first, each known at its `time`. */
interface Day<A> {
  readonly until: number
  readonly hours: ReadonlyArray<A>
}

/** What computing a day came to. `whole`: nothing that it stands on may still be stored later. */
export interface ComputedDay<A> {
  readonly hours: ReadonlyArray<A>
  readonly whole: boolean
}

/**
 * Reads hourly series that are computed by UTC day and remembered, at most `capacity` days of all series together.
 *
 * `compute` is given the days that are not remembered, ascending, and the close up to which the last of them is wanted;
 * it answers each day's hours up to that close. A day's answer must not depend on which other days are asked with it.
 *
 * @returns reads the hours of a series whose `time` lies in `(from, to]`, both full hours. The hour that closes at midnight
 * belongs to the day before.
 */
export const readByDay = <A extends { readonly time: number }, E>(
  capacity: number,
  compute: (series: string, days: ReadonlyArray<number>, to: number) => Effect.Effect<ReadonlyMap<number, ComputedDay<A>>, E>
) => {
  const remembered = new BoundedCache<Day<A>>(capacity)
  return Effect.fnUntraced(function*(series: string, from: number, to: number): Effect.fn.Return<ReadonlyArray<A>, E> {
    const found = new Map<number, ReadonlyArray<A>>()
    const missing: Array<number> = []
    for (let day = Math.floor(from / dayMs) * dayMs; day < to; day += dayMs) {
      const known = remembered.get(`${series}:${day}`)
      const enough = known !== undefined && known.until >= Math.min(to, day + dayMs)
      if (!enough) missing.push(day)
      // Days keep their order in the map whether they are computed or remembered.
      found.set(day, enough ? known.hours : [])
    }
    if (missing.length > 0) {
      for (const [day, { hours, whole }] of yield* compute(series, missing, to)) {
        found.set(day, hours)
        if (whole) remembered.set(`${series}:${day}`, { until: Math.min(to, day + dayMs), hours })
      }
    }
    return [...found.values()].flatMap((hours) => hours.filter(({ time }) => time > from && time <= to))
  })
}
