import { minhash, minhashCoefficients, shingles } from "@tapeline/quant/text"

/** The minimum similarity of near copies. Some unrelated posts share half of their wording by chance. */
const minSharedWording = 0.7
/** The coefficients of the minhash signatures. The signatures miss about 2% of the pairs with a similarity of 0.7. */
const hashCoefficients = minhashCoefficients(30)
const rowsPerBand = 3
const shingleLength = 3

export type Shingles = ReadonlySet<string>

export const toShingles = (texts: ReadonlyArray<string>): ReadonlyArray<Shingles> =>
  texts.map((text) => shingles(text, shingleLength, "character"))

/** Returns the Jaccard similarity of two texts' wording, 0 to 1, or 0 if one of the texts is empty. */
export const getSimilarity = (a: Shingles, b: Shingles): number => {
  let shared = 0
  for (const shingle of a) if (b.has(shingle)) shared++
  return shared === 0 ? 0 : shared / (a.size + b.size - shared)
}

/** Returns groups of near copies, largest group first. Each group contains the sorted indices of its texts. */
export const groupNearCopies = (wordings: ReadonlyArray<Shingles>): ReadonlyArray<ReadonlyArray<number>> => {
  const signatures = wordings.map((wording) => minhash(wording, hashCoefficients))
  const nonEmpty = wordings.flatMap((wording, i) => wording.size === 0 ? [] : [i])
  const parent = wordings.map((_, i) => i)
  const findRoot = (i: number): number => {
    let root = i
    while (parent[root] !== root) root = parent[root]!
    parent[i] = root
    return root
  }
  for (let band = 0; band < hashCoefficients.length; band += rowsPerBand) {
    const buckets = Map.groupBy(nonEmpty, (i) => {
      const [a, b, c] = signatures[i]!.subarray(band, band + rowsPerBand)
      return `${a},${b},${c}`
    })
    for (const bucket of buckets.values()) {
      for (let k = 1; k < bucket.length; k++) {
        // Compares with the previous and the first text of the bucket, so that the number of comparisons is not
        // quadratic.
        for (const other of [bucket[k - 1]!, bucket[0]!]) {
          const [a, b] = [findRoot(bucket[k]!), findRoot(other)]
          if (a !== b && getSimilarity(wordings[bucket[k]!]!, wordings[other]!) >= minSharedWording) parent[a] = b
        }
      }
    }
  }
  return [...Map.groupBy(nonEmpty, findRoot).values()]
    .filter((group) => group.length > 1)
    .sort((a, b) => b.length - a.length || a[0]! - b[0]!)
}
