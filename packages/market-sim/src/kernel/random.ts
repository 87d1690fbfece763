/**
 * Generates counter-based random numbers. Each number is a hash of a key and counters, so numbers can be computed in
 * any order. The method follows Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011, with the
 * finaliser of MurmurHash3. Uniform numbers use only 32-bit integer operations, so their bits are equal on all
 * machines.
 */

/** The key of a stream of random numbers: two 32-bit words. */
export interface Key {
  readonly a: number
  readonly b: number
}

/** Applies the finaliser of MurmurHash3, a bijection of 32-bit words with full avalanche. */
const mixBits = (word: number): number => {
  let h = word
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

const hashText = (text: string, basis: number): number => {
  let h = basis
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return mixBits(h)
}

/** Returns the key of a named random stream for a seed. */
export const makeStreamKey = (seed: number | string, name: string): Key => {
  const text = `${seed}/${name}`
  return { a: hashText(text, 0x811c9dc5), b: hashText(text, 0x2f0b4c47) }
}

/** Derives a key from a stream's key and two 32-bit counters, such as an hour and a level. */
export const deriveKey = (key: Key, x: number, y: number): Key => ({
  a: mixBits(mixBits(key.a ^ Math.imul(x | 0, 0x9e3779b1)) ^ (y | 0)),
  b: mixBits(mixBits(key.b + Math.imul(y | 0, 0x7feb352d)) ^ (x | 0))
})

export const drawBits = (a: number, b: number, slot: number): number =>
  mixBits(mixBits(a ^ Math.imul(slot + 1, 0x9e3779b1)) + b)

/** Returns a uniform number in the open interval (0, 1), with a resolution of 2^-32. */
export const drawUniform = (key: Key, slot: number): number => ((drawBits(key.a, key.b, slot) >>> 0) + 0.5) / 4294967296

export const drawInteger = (key: Key, slot: number, n: number): number => Math.floor(drawUniform(key, slot) * n)

/** The inverse normal distribution function (Wichura, Algorithm AS 241, 1988), with a relative error below 1e-7. */
export const normalQuantile = (p: number): number => {
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q
    return q * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179)
      / (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1)
  }
  let r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p))
  let value: number
  if (r <= 5) {
    r -= 1.6
    value = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777)
      / ((0.12021132975 * r + 0.73700164250) * r + 1)
  } else {
    r -= 5
    value = (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150)
      / ((0.012258202635 * r + 0.24197894225) * r + 1)
  }
  return q < 0 ? -value : value
}

export const drawNormal = (key: Key, slot: number): number => normalQuantile(drawUniform(key, slot))

/**
 * Returns a Poisson random count with the given mean; above a mean of 40, a rounded normal number approximates the
 * count.
 */
export const drawPoisson = (mean: number, key: Key, slot: number): number => {
  if (mean > 40) return Math.max(0, Math.round(mean + Math.sqrt(mean) * drawNormal(key, slot)))
  const u = drawUniform(key, slot)
  let count = 0
  let p = Math.exp(-mean)
  let sum = p
  while (u > sum && count < 200) {
    count++
    p *= mean / count
    sum += p
  }
  return count
}

/** Draws a uniform number from the two words `a` and `b` of a key. */
export const drawUniformFromWords = (a: number, b: number, slot: number): number =>
  ((drawBits(a, b, slot) >>> 0) + 0.5) / 4294967296
export const drawNormalFromWords = (a: number, b: number, slot: number): number =>
  normalQuantile(drawUniformFromWords(a, b, slot))

/** The normal distribution function, limited to (0, 1) (Abramowitz & Stegun, 26.2.17), with an error below 7.5e-8. */
export const normalCdf = (x: number): number => {
  const t = 1 / (1 + 0.2316419 * Math.abs(x))
  const tail = 0.3989422804014327 * Math.exp(-x * x / 2)
    * ((((1.330274429 * t - 1.821255978) * t + 1.781477937) * t - 0.356563782) * t + 0.31938153) * t
  const p = x < 0 ? tail : 1 - tail
  return Math.min(1 - 2 ** -33, Math.max(2 ** -33, p))
}
