export * from "./nearestName.ts"
export * from "./repeatedName.ts"
export * from "./text.ts"
