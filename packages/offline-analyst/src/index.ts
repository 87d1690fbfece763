export { LocalEmbeddings } from "./embeddings/LocalEmbeddings.ts"
