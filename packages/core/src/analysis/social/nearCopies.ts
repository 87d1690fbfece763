import { minhash, minhashCoefficients, shingles } from "@tapeline/quant/text"

/**
 * Texts that are near copies of one another share at least this much of their wording. Above what `nearDuplicate` takes
 * for pairs: among hundreds of posts about one coin, some by chance share half.
 */
const copied = 0.7
/**
 * Signatures of so many hashes, looked up by bands of so many: of pairs that share 0.7, two in a hundred are missed
 * where nothing else ties them to their group.
 */
const family = minhashCoefficients(30)
const rows = 3
const shingleLength = 3

/** What a text is compared by: its runs of three characters. */
export type Wording = ReadonlySet<string>

export const wordingsOf = (texts: ReadonlyArray<string>): ReadonlyArray<Wording> =>
  texts.map((text) => shingles(text, shingleLength, "character"))

/** How much of their wording two texts share (Jaccard), 0 to 1; nothing where one of them says nothing. */
export const likeness = (a: Wording, b: Wording): number => {
  let shared = 0
  for (const one of a) if (b.has(one)) shared++
  return shared === 0 ? 0 : shared / (a.size + b.size - shared)
}

/**
 * Groups of near copies, largest first, each by the places of its texts in order: each text of a group is a near copy
 * of another one of it. Texts without a letter are in none.
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
        // With the one before, and with the first: a chain of copies costs no square of comparisons.
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
