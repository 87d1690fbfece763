export {
  hammingDistance64,
  type HashCoefficients,
  jaccard,
  minhash,
  minhashCoefficients,
  minhashSimilarity,
  nearDuplicate,
  normaliseText,
  shingles,
  simhash64,
  textSimilarity
} from "./text/similarity.ts"
