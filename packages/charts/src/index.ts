export { chartJobs, layerCharts } from "./layerCharts.ts"
