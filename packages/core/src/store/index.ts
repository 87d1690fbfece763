export * from "./StoreUnavailable.ts"
