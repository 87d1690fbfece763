export * from "./indicators.ts"
