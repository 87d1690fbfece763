// For drawing: worker threads load this and nothing else of the analysis.
export * from "./chart.ts"
export * from "./ChartRenderer.ts"
export * from "./errors.ts"
export * from "./numberFormats.ts"
