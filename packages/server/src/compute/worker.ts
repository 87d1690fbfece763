// What a thread of the pool runs: jobs by their names, one at a time, until it is ended.
import type { NamedJob } from "@tapeline/core/compute"
import { jobs } from "@tapeline/core/jobs"
import { parentPort, workerData } from "node:worker_threads"
import { type Asked, type Told, toThrown, type WorkerData } from "./protocol.ts"

const known = new Map<string, NamedJob>(jobs.map((job) => [job.name, job]))

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
const tell = (told: Told): void => parentPort!.postMessage(told)

const load = async (module: string): Promise<void> => {
  try {
    // What the pool was given says that its modules export this.
    const more = await import(module) as { readonly jobs: ReadonlyArray<NamedJob> }
    for (const job of more.jobs) known.set(job.name, job)
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
  // Written by the pool.
  for (const module of (workerData as WorkerData).modules) await load(module)
  parentPort!.on("message", answer)
  tell({ _tag: "Ready" })
} catch (error) {
  tell({ _tag: "Unready", thrown: toThrown(error) })
}
