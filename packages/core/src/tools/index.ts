export * from "./specifications.ts"
export * from "./tools.ts"
