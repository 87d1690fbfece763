// What a thread of a pool loads to draw: `layerComputePool({ modules: [chartJobs] })`.
import { named, type NamedJob } from "@tapeline/core/jobs"
import { drawJob } from "./drawJob.ts"

export const jobs: ReadonlyArray<NamedJob> = [named(drawJob)]
