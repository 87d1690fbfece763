export * from "./layerEngine.ts"
