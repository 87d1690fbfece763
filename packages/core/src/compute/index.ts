export * from "./Compute.ts"
export * from "./job.ts"
