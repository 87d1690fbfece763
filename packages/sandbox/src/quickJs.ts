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
import { type CompiledModule, webAssembly } from "./webAssembly.ts"

// The package's declarations are written for CommonJS, in which the default export would be one level deeper.
const variant = release.default as unknown as QuickJSSyncVariant

/** QuickJS's flag for scripts that can use `await` at the top level. The library's options have no name for it. */
const asyncScriptFlag = 1 << 7

/** A page of WebAssembly's memory, in KiB. */
const wasmPageKib = 64
/** The memory that the engine needs at its start. */
const initialPages = 256
/** Maximum stack of a script. Beyond 256 KiB, the thread's own stack overflows before QuickJS notices. */
const stackBytes = 256 * 1024

export interface QuickJsMachine {
  readonly vm: QuickJSContext
  /** Whether nearly all memory has been taken. */
  readonly isFull: () => boolean
}

/**
 * Starts QuickJS with its own memory, which cannot grow beyond `memoryMb`. QuickJS's own limit is not sufficient: only
 * the limit of the memory's growth holds. Memory is never freed, because the thread ends with its only script.
 */
export const startQuickJs = async (engine: CompiledModule, memoryMb: number): Promise<QuickJsMachine> => {
  const wasmMemory = new webAssembly.Memory({ initial: initialPages, maximum: (memoryMb * 1024) / wasmPageKib })
  const library = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: engine, wasmMemory }))
  const runtime = library.newRuntime()
  runtime.setMaxStackSize(stackBytes)
  return { vm: runtime.newContext(), isFull: () => wasmMemory.buffer.byteLength > memoryMb * 1024 * 1024 * 0.9 }
}

/** Runs the pending jobs. If a job ends the script, returns the thrown value. */
export const runJobs = (runtime: QuickJSRuntime): QuickJSHandle | undefined => runtime.executePendingJobs().error

/** Gives the script `quant`. No modules can be loaded afterwards. */
export const loadQuant = (vm: QuickJSContext, { entry, sources }: QuantSources): void => {
  vm.runtime.setModuleLoader(
    (name) => sources.get(name) ?? { error: new Error(`there is no module ${name}`) },
    (importer, specifier) => specifier === entry ? entry : new URL(specifier, importer).href
  )
  const loaderScript = `import * as all from ${JSON.stringify(entry)}
Object.defineProperty(globalThis, "quant", { value: { ...all }, writable: true, configurable: true })`
  vm.unwrapResult(vm.evalCode(loaderScript, "quant", { type: "module" }))
  const thrown = runJobs(vm.runtime)
  if (thrown !== undefined) throw new Error("quant cannot be loaded", { cause: vm.dump(thrown) })
  vm.runtime.removeModuleLoader()
}

/** A script that has begun, or the error in its text. */
export type StartedScript =
  /** If `isWrapped`, the promise is of an object that holds the script's value in `value`, which may be a promise. */
  | { readonly promise: QuickJSHandle; readonly isWrapped: boolean }
  | { readonly syntaxError: QuickJSHandle }

/**
 * Begins a script. Its value is that of its last expression. If the script uses `return`, it runs as the body of a
 * function. Errors in the text are reported before any part of it runs.
 */
export const startScript = (vm: QuickJSContext, code: string): StartedScript => {
  const script = vm.evalCode(code, "script", asyncScriptFlag)
  if (script.error === undefined) return { promise: script.value, isWrapped: true }
  const message = vm.getProp(script.error, "message").consume((text) => vm.getString(text))
  if (!message.includes("return not in a function")) return { syntaxError: script.error }
  const functionBody = vm.evalCode(`(async () => {${code}\n})()`, "script")
  return functionBody.error === undefined
    ? { promise: functionBody.value, isWrapped: false }
    : { syntaxError: functionBody.error }
}
