import { checkFinite, checkInteger } from "./check.ts"

/** A source of random numbers in [0, 1), which functions receive as an argument, so that results are reproducible. */
export type Random = () => number

/**
 * Creates a source of seeded random numbers that are equal on every machine.
 *
 * Method: sfc32 with a 128-bit state, whose last word is a counter. The state is mixed for 15 rounds before the first
 * number. Unit: uniform in [0, 1), 32 bits.
 * Source: Doty-Humphrey, PractRand (small fast chaotic generator).
 *
 * @throws RangeError when the seed is not finite.
 * @example
 * import { seededRandom } from "@tapeline/quant"
 * seededRandom(7)() === seededRandom(7)() // => true
 * seededRandom(7)() === seededRandom(8)() // => false
 */
export function seededRandom(seed: number): Random {
  checkFinite("seededRandom", "seed", seed)
  const words = new Uint32Array(new Float64Array([seed]).buffer)
  let a = words[0]!
  let b = words[1]!
  let c = 0x9e3779b9
  let counter = 1
  const next: Random = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4294967296
  }
  for (let i = 0; i < 15; i++) next()
  return next
}

/**
 * Draws a standard normal number.
 *
 * Method: one of the two values of Box and Muller's transform. Unit: standard deviations.
 * Source: Box and Muller, A Note on the Generation of Random Normal Deviates (1958).
 *
 * @example
 * import { normalDraw, seededRandom } from "@tapeline/quant"
 * Math.abs(normalDraw(seededRandom(1))) < 6 // => true
 */
export function normalDraw(random: Random): number {
  // `1 - random()` is never 0, so the logarithm is finite.
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/**
 * Draws a whole number from 0 to n - 1, all with equal probability.
 *
 * Formula: `floor(u n)`. Unit: 0 to n - 1.
 * Source: definition of a discrete uniform distribution.
 *
 * @throws RangeError when n is not a whole number of at least 1.
 * @example
 * import { drawBelow, seededRandom } from "@tapeline/quant"
 * drawBelow(1, seededRandom(1)) // => 0
 */
export function drawBelow(n: number, random: Random): number {
  checkInteger("drawBelow", "n", n, 1)
  return Math.min(n - 1, Math.floor(random() * n))
}
