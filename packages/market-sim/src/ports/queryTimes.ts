import type { SteppedInterval } from "@tapeline/core/market"

/** Returns the multiples of the step in `[from, to)`, up to `now`. */
export const getInstants = ({ from, to, stepMs }: SteppedInterval, now: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let time = Math.ceil(from / stepMs) * stepMs; time < to && time <= now; time += stepMs) times.push(time)
  return times
}

/** Returns the start times of the steps that cover `[from, to)`, up to `now`. */
export const getBuckets = ({ from, to, stepMs }: SteppedInterval, now: number): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let time = Math.floor(from / stepMs) * stepMs; time < to && time <= now; time += stepMs) times.push(time)
  return times
}
