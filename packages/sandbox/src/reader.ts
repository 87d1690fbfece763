// Reads sources once for all scripts, in a separate thread, because reading would block the serving thread too long.
import { parentPort, workerData } from "node:worker_threads"
import { readQuantSources, toPlainModuleUrl } from "./moduleSources.ts"

// `resources.ts` passes `workerData`.
const request = workerData as "quant" | { readonly module: string }

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
parentPort!.postMessage(request === "quant" ? readQuantSources() : toPlainModuleUrl(new URL(request.module)))
