export { OfflineAnalyst } from "./analyst/OfflineAnalyst.ts"
export { LocalEmbeddings } from "./embeddings/LocalEmbeddings.ts"
