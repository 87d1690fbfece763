export * from "./StoreUnavailable.ts"
export * from "./UnstorableValue.ts"
