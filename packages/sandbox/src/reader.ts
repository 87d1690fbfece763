// A thread that reads sources once for all scripts. Reading takes longer than the serving thread may be blocked.
import { parentPort, workerData } from "node:worker_threads"
import { plainModule } from "./plainModule.ts"
import { readQuantSources } from "./quantSources.ts"

// `resources.ts` passes this value.
const wanted = workerData as "quant" | { readonly module: string }

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
parentPort!.postMessage(wanted === "quant" ? readQuantSources() : plainModule(new URL(wanted.module)))
