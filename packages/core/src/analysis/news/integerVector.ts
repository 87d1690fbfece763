/**
 * The factor that converts a vector's floating-point numbers to integers. An integer vector of at most 4,096 numbers
 * has a length below 4,096, so inner products stay below 2^24.
 */
const scale = 4_000

/** Converts a floating-point vector to an integer vector. */
export const toIntegerVector = (vector: Float32Array): Int16Array =>
  Int16Array.from(vector, (x) => Math.round(x * scale))

/** Converts an inner product of original vectors to an inner product of integer vectors. */
export const toIntegerProduct = (product: number): number => Math.max(1, Math.ceil(product * scale * scale))

/** Returns the inner product of two integer vectors. Numbers that `b` lacks at its end count as 0. */
export const innerProduct = (a: Int16Array, b: Int16Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * (b[i] ?? 0)
  return sum
}
