// The module that threads of a pool load to draw: `layerComputePool({ modules: [chartJobs] })`.
import { named, type NamedJob } from "@tapeline/core/jobs"
import { drawJob } from "./drawJob.ts"

export const jobs: ReadonlyArray<NamedJob> = [named(drawJob)]
