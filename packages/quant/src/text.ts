export {
  hammingDistance64,
  type HashCoefficients,
  jaccard,
  minhash,
  minhashCoefficients,
  minhashSimilarity,
  normaliseText,
  shingles,
  simhash64
} from "./text/similarity.ts"
