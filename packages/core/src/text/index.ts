export * from "./text.ts"
