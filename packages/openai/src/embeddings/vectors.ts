import { toFields } from "../usage.ts"

const normalize = (numbers: ReadonlyArray<unknown>): Float32Array | undefined => {
  let squares = 0
  for (const x of numbers) {
    if (typeof x !== "number" || !Number.isFinite(x)) return undefined
    squares += x * x
  }
  const length = Math.sqrt(squares)
  if (!Number.isFinite(length)) return undefined
  // The cast is safe because the loop above has checked that every element is a number.
  return Float32Array.from(numbers as ReadonlyArray<number>, (x) => length === 0 ? 0 : x / length)
}

/**
 * Returns the vectors of a response in the order of the texts, normalised to length 1. Returns an error message for an
 * invalid response.
 */
export const readUnitVectors = (
  response: unknown,
  texts: number,
  dimension: number
): ReadonlyArray<Float32Array> | string => {
  const data: unknown = toFields(response)["data"]
  if (!Array.isArray(data) || data.length !== texts) {
    return `the provider returned ${Array.isArray(data) ? data.length : "no"} vectors for ${texts} texts`
  }
  const vectors: Array<Float32Array | undefined> = Array.from({ length: texts })
  for (const [position, entry] of data.entries()) {
    const { embedding, index } = toFields(entry)
    // A server that omits the index returns the vectors in the order of the texts.
    const textIndex = typeof index === "number" ? index : position
    if (!Array.isArray(embedding)) return "the provider returned a vector that is not a list of numbers"
    if (embedding.length !== dimension) {
      return `the provider returned vectors of ${embedding.length} numbers, but ${dimension} are configured ` +
        "(OPENAI_EMBEDDING_DIMENSION)"
    }
    const vector = normalize(embedding)
    if (vector === undefined) return "the provider returned a vector with an invalid number"
    if (!Number.isInteger(textIndex) || textIndex < 0 || textIndex >= texts || vectors[textIndex] !== undefined) {
      return "the provider returned vectors in an unknown order"
    }
    vectors[textIndex] = vector
  }
  // The cast is safe because the response has one vector for each text, and no two vectors have the same index.
  return vectors as ReadonlyArray<Float32Array>
}
