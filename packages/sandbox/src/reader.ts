// The program of a thread that reads sources once for all scripts. Reading takes longer than the serving thread may be
// blocked.
import { parentPort, workerData } from "node:worker_threads"
import { readQuantSources, toPlainModuleUrl } from "./moduleSources.ts"

// `resources.ts` passes `workerData`.
const request = workerData as "quant" | { readonly module: string }

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
parentPort!.postMessage(request === "quant" ? readQuantSources() : toPlainModuleUrl(new URL(request.module)))
