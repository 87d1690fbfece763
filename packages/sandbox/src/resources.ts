import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import type { QuantSources } from "./protocol.ts"
import { toldBy } from "./SandboxThread.ts"
import { webAssembly } from "./webAssembly.ts"

/** Runs `make` when its result is first needed, and keeps the result. After a failure, the next use runs it again. */
const once = <A>(make: () => Promise<A>): Effect.Effect<A, unknown> => {
  let made: Promise<A> | undefined
  const get = async (): Promise<A> => {
    made ??= make()
    try {
      return await made
    } catch (error) {
      made = undefined
      throw error
    }
  }
  return Effect.tryPromise({ try: get, catch: (error) => error })
}

/** QuickJS, compiled once for all threads. */
export const engine = once(async () =>
  webAssembly.compile(await readFile(new URL(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"))))
)

// The sources run as TypeScript; the published package is compiled.
const moduleOf = (name: string): URL =>
  new URL(import.meta.url.endsWith(".ts") ? `./${name}.ts` : `./${name}.js`, import.meta.url)

/** Lets a thread of `reader.ts` read something. */
const read = (wanted: unknown): Promise<unknown> => toldBy(moduleOf("reader"), wanted)

/** The module that threads with scripts run. */
export const threadModule = once(async () => {
  const module = moduleOf("worker")
  if (!module.pathname.endsWith(".ts")) return module
  // `reader.ts` sends the address of the module.
  return new URL(await read({ module: module.href }) as string)
})

/** The sources of quant. */
export const quantSources = once(async () => {
  // `reader.ts` sends the sources of quant.
  return await read("quant") as QuantSources
})
