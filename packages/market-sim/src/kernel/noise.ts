/**
 * Stationary noise with random access, for values that revert to a mean: premium, positioning, the noise of funding.
 */
import { derive, type Key, normal } from "./random.ts"

/** One octave: standard normal values at multiples of `periodMs`, interpolated between them at constant variance. */
const octave = (key: Key, level: number, time: number, periodMs: number): number => {
  const index = Math.floor(time / periodMs)
  const x = time / periodMs - index
  const here = normal(derive(key, level, index), 0)
  const next = normal(derive(key, level, index + 1), 0)
  const fade = x * x * (3 - 2 * x)
  return ((1 - fade) * here + fade * next) / Math.sqrt((1 - fade) * (1 - fade) + fade * fade)
}

/**
 * A stationary process of mean 0 and variance 1. The variation of the process over an interval grows like that of an
 * Ornstein-Uhlenbeck process. The process is a sum of octaves from `longestMs` down to `shortestMs`, with halving
 * variances.
 */
export const stationaryNoise = (key: Key, time: number, shortestMs: number, longestMs: number): number => {
  let sum = 0
  let variance = 0
  let weight = 1
  let level = 0
  for (let period = longestMs; period >= shortestMs; period /= 2) {
    sum += Math.sqrt(weight) * octave(key, level, time, period)
    variance += weight
    weight /= 2
    level++
  }
  return sum / Math.sqrt(variance)
}
