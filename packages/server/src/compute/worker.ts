// What a thread of the pool runs: jobs by their names, one at a time, until it is ended.
import type { NamedJob } from "@tapeline/core/compute"
import { jobs } from "@tapeline/core/jobs"
import { parentPort, workerData } from "node:worker_threads"
import type { Asked, Told, WorkerData } from "./protocol.ts"

const known = new Map<string, NamedJob>(jobs.map((job) => [job.name, job]))
// Written by the pool.
const { modules } = workerData as WorkerData
for (const module of modules) {
  // What the pool was given says that its modules export this.
  const more = await import(module) as { readonly jobs: ReadonlyArray<NamedJob> }
  for (const job of more.jobs) known.set(job.name, job)
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
const tell = (told: Told): void => parentPort!.postMessage(told)

const answer = ({ input, job }: Asked): Told => {
  try {
    const found = known.get(job)
    if (found === undefined) throw new Error(`no module of the pool's workers exports a job ${job}`)
    return { _tag: "Done", output: found.runEncoded(input) }
  } catch (error) {
    return { _tag: "Threw", error }
  }
}

parentPort!.on("message", (asked: Asked) => tell(answer(asked)))
tell({ _tag: "Ready" })
