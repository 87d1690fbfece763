export * from "./layerClusterRunner.ts"
