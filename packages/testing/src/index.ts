export * from "./memory/MemoryKeyStore.ts"
export * from "./memory/MemoryLedgerStore.ts"
export * from "./memory/MemoryRequestWindowStore.ts"
export * from "./memory/MemoryState.ts"
