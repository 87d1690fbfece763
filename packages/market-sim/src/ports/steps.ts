/**
 * Instants of a stepped query.
 */
import type { Stepped } from "@tapeline/core/market"

/** Multiples of the step in `[from, to)`, none after `now`. */
export const instants = ({ from, to, stepMs }: Stepped, now: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let time = Math.ceil(from / stepMs) * stepMs; time < to && time <= now; time += stepMs) times.push(time)
  return times
}

/** Openings of the buckets that cover `[from, to)`, none after `now`. */
export const buckets = ({ from, to, stepMs }: Stepped, now: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let time = Math.floor(from / stepMs) * stepMs; time < to && time <= now; time += stepMs) times.push(time)
  return times
}
