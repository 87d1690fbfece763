export * from "./CodeSandbox.ts"
export * from "./errors.ts"
