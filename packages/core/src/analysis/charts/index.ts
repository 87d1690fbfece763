// The entry point for chart rendering. Worker threads load only this module of the analysis.
export * from "./chart.ts"
export * from "./ChartRenderer.ts"
export * from "./errors.ts"
export * from "./numberFormats.ts"
