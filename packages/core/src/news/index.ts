export * from "./Embeddings.ts"
export { folded, hashText, isIdle, type Word, wordsOf } from "./words.ts"
