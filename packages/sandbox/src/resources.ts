import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import type { QuantSources } from "./protocol.ts"
import { readOneMessage } from "./SandboxThread.ts"
import { webAssembly } from "./webAssembly.ts"

/** Runs `make` on first use and caches the result; if `make` fails, the next use runs `make` again. */
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

export const engine = cacheOnSuccess(async () =>
  webAssembly.compile(await readFile(new URL(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"))))
)

// The modules are TypeScript in the repository, and compiled JavaScript in the published package.
const resolveModule = (name: string): URL =>
  new URL(import.meta.url.endsWith(".ts") ? `./${name}.ts` : `./${name}.js`, import.meta.url)

const readInThread = (request: unknown): Promise<unknown> => readOneMessage(resolveModule("reader"), request)

/** The URL of the module that each sandbox thread runs. */
export const threadModule = cacheOnSuccess(async () => {
  const module = resolveModule("worker")
  if (!module.pathname.endsWith(".ts")) return module
  // The cast is safe because `reader.ts` responds to this request with the URL of the module.
  return new URL(await readInThread({ module: module.href }) as string)
})

export const quantSources = cacheOnSuccess(async () => {
  // The cast is safe because `reader.ts` responds to this request with the sources of quant.
  return await readInThread("quant") as QuantSources
})
