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

// The package declares types for CommonJS, in which the default export is one level deeper than in ES modules.
const variant = release.default as unknown as QuickJSSyncVariant

/**
 * The QuickJS flag that permits `await` at the top level of a script. The library has no option for top-level `await`.
 */
const asyncScriptFlag = 1 << 7

const wasmPageKib = 64
const initialPages = 256
/**
 * The maximum stack size of a script in bytes; with more than 256 KiB, the thread's stack overflows before QuickJS's
 * stack.
 */
const stackBytes = 256 * 1024

export interface QuickJsMachine {
  readonly vm: QuickJSContext
  /** Returns whether a script uses more than 90 % of its memory limit. */
  readonly isFull: () => boolean
}

/**
 * Starts QuickJS with memory that cannot grow beyond `memoryMb`. WebAssembly enforces the memory limit, because
 * QuickJS's own limit is not reliable. The memory of QuickJS is never freed, because each thread runs only one script.
 */
export const startQuickJs = async (engine: CompiledModule, memoryMb: number): Promise<QuickJsMachine> => {
  const wasmMemory = new webAssembly.Memory({ initial: initialPages, maximum: (memoryMb * 1024) / wasmPageKib })
  const library = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: engine, wasmMemory }))
  const runtime = library.newRuntime()
  runtime.setMaxStackSize(stackBytes)
  return { vm: runtime.newContext(), isFull: () => wasmMemory.buffer.byteLength > memoryMb * 1024 * 1024 * 0.9 }
}

/** Runs the pending jobs of a QuickJS runtime, and returns the value that a failed job threw. */
export const runJobs = (runtime: QuickJSRuntime): QuickJSHandle | undefined => runtime.executePendingJobs().error

/** Lets the script import `quant` but no other module. */
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

/** The result of starting a script: the promise of the script's value, or a syntax error. */
export type StartedScript =
  /**
   * The promise of the script's value. If `isWrapped` is true, the promise resolves to an object. The property `value`
   * of the object is the script's value or a promise of that value.
   */
  | { readonly promise: QuickJSHandle; readonly isWrapped: boolean }
  | { readonly syntaxError: QuickJSHandle }

/**
 * Starts a script. The value of a script is the value of its last expression or of its top-level `return`. Syntax
 * errors are reported before any part of the script runs.
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
