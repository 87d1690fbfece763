import { minhash, minhashCoefficients, shingles } from "@tapeline/quant/text"

/**
 * The minimum shared wording of near copies. It is higher than the threshold of `nearDuplicate` for pairs, because
 * among hundreds of posts about one coin, some share half by chance.
 */
const copied = 0.7
/**
 * The number of hashes per signature, and of rows per band. Of pairs that share 0.7, two in a hundred are missed if
 * nothing else connects them to their group.
 */
const family = minhashCoefficients(30)
const rows = 3
const shingleLength = 3

/** The comparable form of a text: its sequences of three characters. */
export type Wording = ReadonlySet<string>

export const wordingsOf = (texts: ReadonlyArray<string>): ReadonlyArray<Wording> =>
  texts.map((text) => shingles(text, shingleLength, "character"))

/** Returns the share of wording that two texts have in common (Jaccard), 0 to 1. 0 if one of them is empty. */
export const likeness = (a: Wording, b: Wording): number => {
  let shared = 0
  for (const one of a) if (b.has(one)) shared++
  return shared === 0 ? 0 : shared / (a.size + b.size - shared)
}

/**
 * Returns groups of near copies, largest first, each as ordered indices of its texts. Each text of a group is a near
 * copy of another text in it. Texts without a letter belong to no group.
 */
export const nearCopies = (wordings: ReadonlyArray<Wording>): ReadonlyArray<ReadonlyArray<number>> => {
  const signatures = wordings.map((wording) => minhash(wording, family))
  const saying = wordings.flatMap((wording, i) => wording.size === 0 ? [] : [i])
  const parent = wordings.map((_, i) => i)
  const rootOf = (i: number): number => {
    let root = i
    while (parent[root] !== root) root = parent[root]!
    parent[i] = root
    return root
  }
  for (let band = 0; band < family.length; band += rows) {
    const buckets = Map.groupBy(saying, (i) => {
      const [a, b, c] = signatures[i]!.subarray(band, band + rows)
      return `${a},${b},${c}`
    })
    for (const bucket of buckets.values()) {
      for (let k = 1; k < bucket.length; k++) {
        // Compares with the previous and the first text of the bucket, so that a bucket needs no quadratic number of
        // comparisons.
        for (const other of [bucket[k - 1]!, bucket[0]!]) {
          const [a, b] = [rootOf(bucket[k]!), rootOf(other)]
          if (a !== b && likeness(wordings[bucket[k]!]!, wordings[other]!) >= copied) parent[a] = b
        }
      }
    }
  }
  return [...Map.groupBy(saying, rootOf).values()]
    .filter((group) => group.length > 1)
    .sort((a, b) => b.length - a.length || a[0]! - b[0]!)
}
