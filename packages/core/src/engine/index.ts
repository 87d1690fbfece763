export * from "./layerAgent.ts"
export * from "./layerEngine.ts"
export * from "./layerTasks.ts"
