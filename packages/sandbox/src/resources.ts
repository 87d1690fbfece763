import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import type { QuantSources } from "./protocol.ts"
import { readOneMessage } from "./SandboxThread.ts"
import { webAssembly } from "./webAssembly.ts"

/** Runs `make` when its result is first needed, and keeps the result. After a failure, the next use runs it again. */
const cacheOnSuccess = <A>(make: () => Promise<A>): Effect.Effect<A, unknown> => {
  let cached: Promise<A> | undefined
  const get = async (): Promise<A> => {
    cached ??= make()
    try {
      return await cached
    } catch (error) {
      cached = undefined
      throw error
    }
  }
  return Effect.tryPromise({ try: get, catch: (error) => error })
}

/** QuickJS, compiled once for all threads. */
export const engine = cacheOnSuccess(async () =>
  webAssembly.compile(await readFile(new URL(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"))))
)

// The sources run as TypeScript; the published package is compiled.
const resolveModule = (name: string): URL =>
  new URL(import.meta.url.endsWith(".ts") ? `./${name}.ts` : `./${name}.js`, import.meta.url)

/** Lets a thread of `reader.ts` read something. */
const readInThread = (request: unknown): Promise<unknown> => readOneMessage(resolveModule("reader"), request)

/** The module that threads with scripts run. */
export const threadModule = cacheOnSuccess(async () => {
  const module = resolveModule("worker")
  if (!module.pathname.endsWith(".ts")) return module
  // `reader.ts` sends the address of the module.
  return new URL(await readInThread({ module: module.href }) as string)
})

/** The sources of quant. */
export const quantSources = cacheOnSuccess(async () => {
  // `reader.ts` sends the sources of quant.
  return await readInThread("quant") as QuantSources
})
