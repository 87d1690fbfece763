// The program of a pool thread, which runs jobs by name, one at a time, until the pool ends the thread.
import type { EncodedJob } from "@tapeline/core/engine"
import { enableCompileCache } from "node:module"
import { inspect } from "node:util"
import { parentPort, workerData } from "node:worker_threads"
import { type JobRequest, serializeError, type WorkerData, type WorkerMessage } from "./protocol.ts"

// The type cast is safe, because the pool starts the thread with this value.
const { compileCacheFolder, modules } = workerData as WorkerData
if (compileCacheFolder !== undefined) enableCompileCache(compileCacheFolder)
const { jobs } = await import("@tapeline/core/jobs")
const jobsByName = new Map<string, EncodedJob>(jobs.map((job) => [job.name, job]))

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
const post = (message: WorkerMessage): void => parentPort!.postMessage(message)

/** Returns why a value that a module exports is not a valid job, or undefined if the value is a valid job. */
const findJobProblem = (job: unknown): string | undefined => {
  if (typeof job !== "object" || job === null || !("name" in job) || typeof job.name !== "string") {
    return `${inspect(job, { depth: 0 })} is not a job`
  }
  if (!("runEncoded" in job) || typeof job.runEncoded !== "function") {
    return `a thread cannot run the job ${job.name}; wrap it with named(${job.name}) from @tapeline/core/engine`
  }
  return jobsByName.has(job.name) ? `two jobs are named ${job.name}` : undefined
}

const loadModule = async (module: string): Promise<void> => {
  try {
    const { jobs: moduleJobs }: { readonly jobs?: unknown } = await import(module)
    if (!Array.isArray(moduleJobs)) throw new Error("it exports no list named `jobs`")
    for (const job of moduleJobs) {
      const problem = findJobProblem(job)
      if (problem !== undefined) throw new Error(problem)
      jobsByName.set(job.name, job)
    }
  } catch (cause) {
    throw new Error(`The module ${module} exports no jobs`, { cause })
  }
}

const runJob = ({ input, job }: JobRequest): void => {
  try {
    const namedJob = jobsByName.get(job)
    if (namedJob === undefined) throw new Error(`no module of the pool's workers exports a job ${job}`)
    post({ _tag: "Done", output: namedJob.runEncoded(input) })
  } catch (error) {
    post({ _tag: "Threw", thrown: serializeError(error) })
  }
}

try {
  for (const module of modules) await loadModule(module)
  parentPort!.on("message", runJob)
  post({ _tag: "Ready" })
} catch (error) {
  post({ _tag: "Unready", thrown: serializeError(error) })
}
