import * as release from "@jitl/quickjs-wasmfile-release-sync"
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant
} from "quickjs-emscripten-core"
import type { QuantSources } from "./protocol.ts"
import { type Compiled, webAssembly } from "./webAssembly.ts"

// Its declarations are written for CommonJS, where the default would stand one level deeper.
const variant = release.default as unknown as QuickJSSyncVariant

/** QuickJS's flag for a script that may await wherever it is; the library's options have no name for it. */
const asyncScript = 1 << 7

/** A page of WebAssembly's memory, in KiB. */
const pageKib = 64
/** What the engine itself needs to begin with. */
const initialPages = 256
/** What a script may recurse: beyond 256 KiB the thread's own stack ends before QuickJS notices. */
const stackBytes = 256 * 1024

export interface Machine {
  readonly vm: QuickJSContext
  /** True once nearly all of its memory was taken. */
  readonly isFull: () => boolean
}

/**
 * QuickJS in a memory of its own that cannot grow beyond `memoryMb`. A limit of QuickJS's alone does not hold: what
 * counts is what the memory can grow to. Nothing is ever given back, since the thread ends with its one script.
 */
export const startMachine = async (engine: Compiled, memoryMb: number): Promise<Machine> => {
  const wasmMemory = new webAssembly.Memory({ initial: initialPages, maximum: (memoryMb * 1024) / pageKib })
  const library = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: engine, wasmMemory }))
  const runtime = library.newRuntime()
  runtime.setMaxStackSize(stackBytes)
  return { vm: runtime.newContext(), isFull: () => wasmMemory.buffer.byteLength > memoryMb * 1024 * 1024 * 0.9 }
}

/** Runs what waits inside. A job that ends the engine's patience ends the script: it gives what was thrown. */
export const runJobs = (runtime: QuickJSRuntime): QuickJSHandle | undefined => runtime.executePendingJobs().error

/** Gives the script `quant`; modules cannot be loaded any more after it. */
export const loadQuant = (vm: QuickJSContext, { entry, sources }: QuantSources): void => {
  vm.runtime.setModuleLoader(
    (name) => sources.get(name) ?? { error: new Error(`there is no module ${name}`) },
    (base, asked) => asked === entry ? entry : new URL(asked, base).href
  )
  const load = `import * as all from ${JSON.stringify(entry)}
Object.defineProperty(globalThis, "quant", { value: { ...all }, writable: true, configurable: true })`
  vm.unwrapResult(vm.evalCode(load, "quant", { type: "module" }))
  const thrown = runJobs(vm.runtime)
  if (thrown !== undefined) throw new Error("quant cannot be loaded", { cause: vm.dump(thrown) })
  vm.runtime.removeModuleLoader()
}

/** A script that has begun, or what is wrong with its text. */
export type Begun =
  /** `wrapped`: the promise is of an object that holds the value as `value`, a promise in it too. */
  | { readonly promise: QuickJSHandle; readonly wrapped: boolean }
  | { readonly wrong: QuickJSHandle }

/**
 * Begins a script: as one whose last expression is its value or, where it returns, as the body of a function. A text
 * that is wrong is told before anything of it runs.
 */
export const begin = (vm: QuickJSContext, code: string): Begun => {
  const script = vm.evalCode(code, "script", asyncScript)
  if (script.error === undefined) return { promise: script.value, wrapped: true }
  const message = vm.getProp(script.error, "message").consume((text) => vm.getString(text))
  if (!message.includes("return not in a function")) return { wrong: script.error }
  const body = vm.evalCode(`(async () => {${code}\n})()`, "script")
  return body.error === undefined ? { promise: body.value, wrapped: false } : { wrong: body.error }
}
