export {
  hammingDistance64, jaccard, minhash, minhashCoefficients, minhashSimilarity, normaliseText, shingles, simhash64, type HashCoefficients
} from "./text/similarity.ts"
