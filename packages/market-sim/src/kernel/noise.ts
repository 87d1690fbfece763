/** Stationary random noise that can be evaluated at any time, for values that revert to a mean. */
import { deriveKey, drawNormal, type Key } from "./random.ts"

/** Returns random noise that is interpolated between multiples of `periodMs`. The variance is 1 at every time. */
const computeOctave = (key: Key, level: number, time: number, periodMs: number): number => {
  const index = Math.floor(time / periodMs)
  const x = time / periodMs - index
  const currentValue = drawNormal(deriveKey(key, level, index), 0)
  const nextValue = drawNormal(deriveKey(key, level, index + 1), 0)
  const blend = x * x * (3 - 2 * x)
  return ((1 - blend) * currentValue + blend * nextValue) / Math.sqrt((1 - blend) * (1 - blend) + blend * blend)
}

/** Returns a value of a stationary process with mean 0 and variance 1, similar to an Ornstein-Uhlenbeck process. */
export const stationaryNoise = (key: Key, time: number, shortestMs: number, longestMs: number): number => {
  let sum = 0
  let variance = 0
  let weight = 1
  let level = 0
  for (let period = longestMs; period >= shortestMs; period /= 2) {
    sum += Math.sqrt(weight) * computeOctave(key, level, time, period)
    variance += weight
    weight /= 2
    level++
  }
  return sum / Math.sqrt(variance)
}
