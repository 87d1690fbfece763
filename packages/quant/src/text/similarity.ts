import { checkInteger, checkWithin } from "../check.ts"

/**
 * Returns a text in a comparable form: in lower case, with single spaces, and without compatibility characters, links,
 * mentions and punctuation.
 *
 * Rule: the text is converted to Unicode NFKC and lower case. `http...` and `@name` are removed. Characters other than
 * letters, numbers and marks become spaces.
 * Source: Unicode Standard Annex 15.
 *
 * @example
 * import { normaliseText } from "@tapeline/quant"
 * normaliseText("BTC to the MOON!!! https://t.co/x @you") // => "btc to the moon"
 */
export function normaliseText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/https?:\/\/\S+|@[\p{L}\p{N}_]+/gu, " ")
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, " ")
    .trim()
}

/**
 * Returns the shingles of a text: the set of all runs of k words (or characters).
 *
 * Rule: the text is normalised by {@link normaliseText}. A text shorter than k is its own single shingle, and an empty
 * text has no shingles. Character shingles suit languages without spaces between morphemes, such as Korean.
 * Source: Broder, On the Resemblance and Containment of Documents (1997).
 *
 * @throws RangeError when k is not a whole number of at least 1.
 * @example
 * import { shingles } from "@tapeline/quant"
 * [...shingles("To the moon, to the moon", 2)] // => ["to the", "the moon", "moon to"]
 * [...shingles("abcd", 3, "character")] // => ["abc", "bcd"]
 */
export function shingles(text: string, k = 3, unit: "word" | "character" = "word"): Set<string> {
  checkInteger("shingles", "k", k, 1)
  const normal = normaliseText(text)
  if (normal === "") return new Set()
  const parts = unit === "word" ? normal.split(" ") : Array.from(normal)
  const separator = unit === "word" ? " " : ""
  if (parts.length <= k) return new Set([normal])
  const shingleSet = new Set<string>()
  for (let i = 0; i + k <= parts.length; i++) shingleSet.add(parts.slice(i, i + k).join(separator))
  return shingleSet
}

/**
 * Jaccard similarity of two collections, taken as sets.
 *
 * Formula: `|A and B| / |A or B|`. Unit: a number from 0 to 1. Two empty sets have the similarity 1.
 * Source: Jaccard (1912).
 *
 * @example
 * import { jaccard } from "@tapeline/quant"
 * jaccard([0, 3], [0, 2, 3]) // => 0.6666666667
 */
export function jaccard<T>(a: Iterable<T>, b: Iterable<T>): number {
  const left = new Set(a)
  const right = new Set(b)
  let shared = 0
  for (const member of left) if (right.has(member)) shared++
  const all = left.size + right.size - shared
  return all === 0 ? 1 : shared / all
}

/** Returns a 32-bit FNV-1a hash, with a mixing step that gives similar strings distant hashes. */
function hash32(text: string, seed: number): number {
  let hash = (0x811c9dc5 ^ seed) | 0
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The coefficients of one hash function `h(x) = (a x + b) mod m`. */
export type HashCoefficients = readonly [a: number, b: number, m: number]

/** The smallest prime above 2^32. */
const PRIME = 4294967311

/** The maximum modulus for which {@link computeAffine} is exact. */
const MAX_MODULUS = 2 ** 34

/**
 * Coefficients for {@link minhash}: a family of universal hashes modulo the prime 4294967311.
 *
 * Formula: a in 1 .. m - 1 and b in 0 .. m - 1, derived from hashes of the index and the seed. Unit: none.
 * Source: Carter and Wegman, Universal Classes of Hash Functions (1979).
 *
 * @throws RangeError when count is not a whole number of at least 1.
 * @example
 * import { minhashCoefficients } from "@tapeline/quant"
 * minhashCoefficients(128).length // => 128
 */
export function minhashCoefficients(count: number, seed = 1): ReadonlyArray<HashCoefficients> {
  checkInteger("minhashCoefficients", "count", count, 1)
  return Array.from({ length: count }, (_, i) =>
    [
      1 + (hash32(`a${i}`, seed) % (PRIME - 1)),
      hash32(`b${i}`, seed),
      PRIME
    ] as const)
}

const DEFAULT_HASHES = minhashCoefficients(128)

/** Returns v mod m for 0 <= v < 2^53, several times faster than the operator `%`. */
function modulo(v: number, m: number): number {
  const rest = v - Math.floor(v / m) * m
  // If the quotient is rounded up to the next whole number, `rest` is negative.
  return rest < 0 ? rest + m : rest
}

/** Returns (a x + b) mod m without loss of digits, for a, b and x below m, and m of at most 2^34. */
function computeAffine(a: number, b: number, m: number, x: number): number {
  const high = Math.floor(x / 65536)
  const low = x - high * 65536
  return modulo(modulo(a * high, m) * 65536 + modulo(a * low, m) + b, m)
}

function reduceCoefficients([a, b, m]: HashCoefficients): HashCoefficients {
  checkInteger("minhash", "a", a, 0)
  checkInteger("minhash", "b", b, 0)
  checkInteger("minhash", "m", m, 1)
  if (m > MAX_MODULUS) throw new RangeError(`minhash: m must be at most 2^34, got ${m}`)
  return [a % m, b % m, m]
}

/**
 * MinHash signature of a set.
 *
 * Formula: for each hash function `h(x) = (a x + b) mod m`, the signature contains the minimum of h over the members of
 * the set. A member of the set is a whole number of at least 0, or a string, which is hashed to 32 bits. `hashes`
 * contains the family as [a, b, m] triples; the default is 128 fixed triples. Unit: hash values. The signature of an
 * empty set contains only Infinity.
 * Source: Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.3; Broder (1997).
 *
 * @throws RangeError when a member is not a whole number of at least 0, or a, b or m is not a whole number in 0 <= a, b
 * and 1 <= m <= 2^34.
 * @example
 * import { minhash } from "@tapeline/quant"
 * minhash([1, 3, 4], [[1, 1, 5], [3, 1, 5]]) // => [0, 0]
 * minhash([0, 3], [[1, 1, 5], [3, 1, 5]]) // => [1, 0]
 */
export function minhash(
  members: Iterable<number | string>,
  hashes: ReadonlyArray<HashCoefficients> = DEFAULT_HASHES
): Float64Array {
  const family = hashes === DEFAULT_HASHES ? hashes : hashes.map(reduceCoefficients)
  const signature = new Float64Array(hashes.length).fill(Infinity)
  for (const member of members) {
    const x = typeof member === "string" ? hash32(member, 0) : member
    checkInteger("minhash", "member", x, 0)
    for (let j = 0; j < family.length; j++) {
      const [a, b, m] = family[j]!
      const value = computeAffine(a, b, m, x < m ? x : x % m)
      if (value < signature[j]!) signature[j] = value
    }
  }
  return signature
}

/**
 * Jaccard similarity estimated from two MinHash signatures.
 *
 * Formula: the share of positions at which the signatures agree, with the standard error `sqrt(s (1 - s) / length)`.
 * Unit: a number from 0 to 1.
 * Source: Broder (1997).
 *
 * @throws RangeError when the lengths differ or are 0.
 * @example
 * import { minhashSimilarity } from "@tapeline/quant"
 * minhashSimilarity([1, 0], [1, 0]) // => 1
 */
export function minhashSimilarity(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length || a.length === 0) {
    throw new RangeError(
      `minhashSimilarity: signatures must have equal lengths above 0, got ${a.length} and ${b.length}`
    )
  }
  let equal = 0
  for (let i = 0; i < a.length; i++) if (a[i] === b[i]) equal++
  return equal / a.length
}

/** Texts with fewer than 500 characters count as short, and have shorter shingles. */
const SHORT_TEXT_LENGTH = 500
const SHORT_SHINGLE = 3
const LONG_SHINGLE = 9

/**
 * Similarity of two texts, including short texts: the share of wording that the texts have in common.
 *
 * Formula: {@link jaccard} of the character {@link shingles} of the texts. Shingles have 3 characters if a text is
 * shorter than 500 characters after {@link normaliseText}, else 9 characters. Unit: a number from 0 to 1. Two texts
 * without letters and numbers have the similarity 1.
 * Source: Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.2 (shingles long enough to be rare in a text).
 *
 * @example
 * import { textSimilarity } from "@tapeline/quant"
 * textSimilarity("BTC to the moon", "btc to the MOON!!! 🚀") // => 1
 * textSimilarity("Buy SOL now, it is going up", "buy SOL today, it is going up") > 0.5 // => true
 */
export function textSimilarity(a: string, b: string): number {
  const short = Math.min(normaliseText(a).length, normaliseText(b).length) < SHORT_TEXT_LENGTH
  const k = short ? SHORT_SHINGLE : LONG_SHINGLE
  return jaccard(shingles(a, k, "character"), shingles(b, k, "character"))
}

/**
 * Returns whether two texts are near-duplicates: copies that differ in a word, punctuation, links or mentions.
 *
 * Rule: {@link textSimilarity} of at least `minSimilarity`, 0.5 by default. A text of at least six words with one word
 * replaced, added or dropped keeps a similarity above 0.5. Two different texts of at least six words about one subject
 * rarely have a similarity above 0.4. Below six words, one changed word is a quarter of the content, and only equal
 * wording is detected reliably. To find candidates among many texts, compare {@link minhash} signatures of the
 * character shingles first.
 * Source: {@link textSimilarity}; measured over edits of random market texts of 4 to 300 words.
 *
 * @throws RangeError when minSimilarity is outside [0, 1].
 * @example
 * import { nearDuplicate } from "@tapeline/quant"
 * nearDuplicate("Bitcoin breaks above the resistance today", "bitcoin breaks above resistance today!") // => true
 * nearDuplicate("Bitcoin breaks above the resistance today", "Ether funding turned negative overnight") // => false
 */
export function nearDuplicate(a: string, b: string, minSimilarity = 0.5): boolean {
  checkWithin("nearDuplicate", "minSimilarity", minSimilarity, 0, 1)
  return textSimilarity(a, b) >= minSimilarity
}

/**
 * 64-bit SimHash of features. The hashes of near-duplicates differ in few bits.
 *
 * Formula: the function hashes each feature to 64 bits. A bit of the result is set if the bit is set in more feature
 * hashes than not. A text is split into words after {@link normaliseText}. A repeated feature counts each time. Unit:
 * 64 bits. The result is 0n without features. SimHash suits only long texts, because each word of a short text decides
 * many bits. After one changed word, the share of hashes within 3 bits is 96 % for texts of 160 words, 84 % for 80
 * words, 59 % for 40 words, 12 % for 12 words and 1 % for 6 words. For short texts, use {@link nearDuplicate}.
 * Source: Charikar, Similarity Estimation Techniques from Rounding Algorithms (2002); Manku et al., Detecting
 * Near-Duplicates for Web Crawling (2007).
 *
 * @example
 * import { hammingDistance64, simhash64 } from "@tapeline/quant"
 * const a = simhash64("bitcoin is going to the moon this week, buy now before it is too late")
 * const b = simhash64("bitcoin is going to the moon this week buy now before it's too late")
 * const c = simhash64("the central bank left its key rate where it was")
 * hammingDistance64(a, b) < hammingDistance64(a, c) // => true
 */
export function simhash64(features: string | Iterable<string>): bigint {
  const words = typeof features === "string"
    ? normaliseText(features).split(" ").filter((word) => word !== "")
    : features
  const votes = new Int32Array(64)
  for (const word of words) {
    const low = hash32(word, 0)
    const high = hash32(word, 0x9e3779b9)
    for (let bit = 0; bit < 32; bit++) {
      votes[bit] = votes[bit]! + (((low >>> bit) & 1) * 2 - 1)
      votes[bit + 32] = votes[bit + 32]! + (((high >>> bit) & 1) * 2 - 1)
    }
  }
  let low = 0
  let high = 0
  for (let bit = 0; bit < 32; bit++) {
    if (votes[bit]! > 0) low |= 1 << bit
    if (votes[bit + 32]! > 0) high |= 1 << bit
  }
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
}

/**
 * Number of bits in which two 64-bit hashes differ.
 *
 * Formula: population count of `a xor b`. Unit: a number from 0 to 64. By {@link simhash64}, near-duplicates of at
 * least 100 words are commonly within 3 bits; shorter near-duplicates are not.
 * Source: Hamming (1950).
 *
 * @example
 * import { hammingDistance64 } from "@tapeline/quant"
 * hammingDistance64(0b1011n, 0b0010n) // => 2
 */
export function hammingDistance64(a: bigint, b: bigint): number {
  let x = BigInt.asUintN(64, a ^ b)
  let count = 0
  while (x !== 0n) {
    x &= x - 1n
    count++
  }
  return count
}
