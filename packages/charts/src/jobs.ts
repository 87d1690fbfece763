// The threads of a pool load this module to draw charts: `layerComputePool({ modules: [chartJobs] })`.
import { type EncodedJob, encodedJob } from "@tapeline/core/jobs"
import { drawJob } from "./drawJob.ts"

export const jobs: ReadonlyArray<EncodedJob> = [encodedJob(drawJob)]
