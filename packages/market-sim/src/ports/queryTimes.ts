import type { SteppedInterval } from "@tapeline/core/market"

/** Returns the multiples of `stepMs` in `[from, to)`, without times after `now`. */
export const getInstants = ({ from, to, stepMs }: SteppedInterval, now: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let time = Math.ceil(from / stepMs) * stepMs; time < to && time <= now; time += stepMs) times.push(time)
  return times
}

/** Returns the start times of all steps that overlap `[from, to)`, without times after `now`. */
export const getBuckets = ({ from, to, stepMs }: SteppedInterval, now: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let time = Math.floor(from / stepMs) * stepMs; time < to && time <= now; time += stepMs) times.push(time)
  return times
}
