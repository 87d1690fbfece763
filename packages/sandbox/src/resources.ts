import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import type { QuantSources } from "./protocol.ts"
import { toldBy } from "./SandboxThread.ts"
import { webAssembly } from "./webAssembly.ts"

/** What takes a while and comes out the same: begun once, when it is first asked for, and again where it failed. */
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

/** QuickJS, compiled for all threads. */
export const engine = once(async () =>
  webAssembly.compile(await readFile(new URL(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"))))
)

// Sources run as they are; what is published was compiled.
const moduleOf = (name: string): URL =>
  new URL(import.meta.url.endsWith(".ts") ? `./${name}.ts` : `./${name}.js`, import.meta.url)

/** What a thread of ours reads. */
const read = (wanted: unknown): Promise<unknown> => toldBy(moduleOf("reader"), wanted)

/** What threads with scripts run. */
export const threadModule = once(async () => {
  const module = moduleOf("worker")
  if (!module.pathname.endsWith(".ts")) return module
  // What `reader.ts` tells of a module.
  return new URL(await read({ module: module.href }) as string)
})

/** The sources of quant. */
export const quantSources = once(async () => {
  // What `reader.ts` tells of quant.
  return await read("quant") as QuantSources
})
