/** A compiled module, which can be passed to threads. */
export interface Compiled {
  readonly [Symbol.toStringTag]: "WebAssembly.Module"
}

/** The memory of an instance, in pages of 64 KiB. */
interface Memory {
  readonly buffer: ArrayBuffer
}

/** The parts of WebAssembly in use. TypeScript declares WebAssembly only for browsers. */
interface Here {
  readonly compile: (bytes: Uint8Array) => Promise<Compiled>
  readonly Memory: new(pages: { readonly initial: number; readonly maximum: number }) => Memory
}

// All Node versions with ES modules have WebAssembly.
export const webAssembly = (globalThis as unknown as { readonly WebAssembly: Here }).WebAssembly
