/** A compiled WebAssembly module, which can be sent to threads. */
export interface CompiledModule {
  readonly [Symbol.toStringTag]: "WebAssembly.Module"
}

/** The memory of a WebAssembly instance, in pages of 64 KiB. */
interface Memory {
  readonly buffer: ArrayBuffer
}

/** The parts of the WebAssembly API that the sandbox uses. TypeScript declares WebAssembly only for browsers. */
interface WebAssemblyNamespace {
  readonly compile: (bytes: Uint8Array) => Promise<CompiledModule>
  readonly Memory: new(pages: { readonly initial: number; readonly maximum: number }) => Memory
}

// Every Node version that supports ES modules also supports WebAssembly.
export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyNamespace }).WebAssembly
