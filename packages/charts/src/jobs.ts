// The module that threads of a pool load to draw: `layerComputePool({ modules: [chartJobs] })`.
import { type EncodedJob, encodedJob } from "@tapeline/core/jobs"
import { drawJob } from "./drawJob.ts"

export const jobs: ReadonlyArray<EncodedJob> = [encodedJob(drawJob)]
