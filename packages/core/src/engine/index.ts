export * from "./layerAgent.ts"
export * from "./layerEngine.ts"
