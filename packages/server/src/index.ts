export { type ComputePoolOptions, layerComputePool } from "./compute/layerComputePool.ts"
export { layerServer } from "./layers.ts"
export { firstReading, layerSimulatedMarket, simulatedReads } from "./market/layerSimulatedMarket.ts"
export { InvalidSettings, readSettings, type Settings, variables } from "./settings.ts"
