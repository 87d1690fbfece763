// The program of a pool thread. The thread runs jobs by name, one at a time, until the pool ends it.
import type { NamedJob } from "@tapeline/core/engine"
import { enableCompileCache } from "node:module"
import { inspect } from "node:util"
import { parentPort, workerData } from "node:worker_threads"
import { type Asked, type Told, toThrown, type WorkerData } from "./protocol.ts"

// The pool passes these values.
const { compiled, modules } = workerData as WorkerData
if (compiled !== undefined) enableCompileCache(compiled)
const { jobs } = await import("@tapeline/core/jobs")
const known = new Map<string, NamedJob>(jobs.map((job) => [job.name, job]))

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
const tell = (told: Told): void => parentPort!.postMessage(told)

/** The problem of a value that a module exports as a job. Undefined if the value is a valid job. */
const faultOf = (job: unknown): string | undefined => {
  if (typeof job !== "object" || job === null || !("name" in job) || typeof job.name !== "string") {
    return `${inspect(job, { depth: 0 })} is no job`
  }
  if (!("runEncoded" in job) || typeof job.runEncoded !== "function") {
    return `${job.name} is no job that a thread can run; wrap it: named(${job.name}), of @tapeline/core/engine`
  }
  return known.has(job.name) ? `two jobs are named ${job.name}` : undefined
}

const load = async (module: string): Promise<void> => {
  try {
    const { jobs: more }: { readonly jobs?: unknown } = await import(module)
    if (!Array.isArray(more)) throw new Error("it exports no list named `jobs`")
    for (const job of more) {
      const fault = faultOf(job)
      if (fault !== undefined) throw new Error(fault)
      known.set(job.name, job)
    }
  } catch (cause) {
    throw new Error(`The module ${module} gives no jobs`, { cause })
  }
}

const answer = ({ input, job }: Asked): void => {
  try {
    const found = known.get(job)
    if (found === undefined) throw new Error(`no module of the pool's workers exports a job ${job}`)
    tell({ _tag: "Done", output: found.runEncoded(input) })
  } catch (error) {
    tell({ _tag: "Threw", thrown: toThrown(error) })
  }
}

try {
  for (const module of modules) await load(module)
  parentPort!.on("message", answer)
  tell({ _tag: "Ready" })
} catch (error) {
  tell({ _tag: "Unready", thrown: toThrown(error) })
}
