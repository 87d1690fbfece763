export * from "./repeatedName.ts"
export * from "./text.ts"
