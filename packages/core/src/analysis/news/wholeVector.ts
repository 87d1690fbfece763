/**
 * What the length 1 becomes. Vectors of up to 4,096 numbers, a thousandth too long, stay below 4,096 when they are
 * rounded, so that sums of products stay below 2^24.
 */
const scale = 4_000

/** A vector in whole numbers, as an index compares it. */
export const wholeVector = (vector: Float32Array): Int16Array => Int16Array.from(vector, (x) => Math.round(x * scale))

/** The inner product of whole vectors for one of those that they were made of. */
export const wholeProduct = (product: number): number => Math.max(1, Math.ceil(product * scale * scale))

/** The inner product of two whole vectors; what is missing of one counts as 0. */
export const productOf = (a: Int16Array, b: Int16Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * (b[i] ?? 0)
  return sum
}
