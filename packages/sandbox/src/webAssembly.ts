/** A compiled module, which can be passed to threads. */
export interface CompiledModule {
  readonly [Symbol.toStringTag]: "WebAssembly.Module"
}

/** The memory of an instance, in pages of 64 KiB. */
interface Memory {
  readonly buffer: ArrayBuffer
}

/** The parts of WebAssembly in use. TypeScript declares WebAssembly only for browsers. */
interface WebAssemblyNamespace {
  readonly compile: (bytes: Uint8Array) => Promise<CompiledModule>
  readonly Memory: new(pages: { readonly initial: number; readonly maximum: number }) => Memory
}

// All Node versions with ES modules have WebAssembly.
export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyNamespace }).WebAssembly
