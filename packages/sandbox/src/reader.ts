// This thread reads the sources once for all scripts, because reading would block the serving thread for too long.
import { parentPort, workerData } from "node:worker_threads"
import { readQuantSources, toPlainModuleUrl } from "./moduleSources.ts"

// The cast is safe because `resources.ts` starts the thread with a request of this type.
const request = workerData as "quant" | { readonly module: string }

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
parentPort!.postMessage(request === "quant" ? readQuantSources() : toPlainModuleUrl(new URL(request.module)))
