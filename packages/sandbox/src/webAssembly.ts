/** A compiled module; threads can be given it. */
export interface Compiled {
  readonly [Symbol.toStringTag]: "WebAssembly.Module"
}

/** Memory of an instance, in pages of 64 KiB. */
interface Memory {
  readonly buffer: ArrayBuffer
}

/** What is used of WebAssembly, of which TypeScript knows in browsers alone. */
interface Here {
  readonly compile: (bytes: Uint8Array) => Promise<Compiled>
  readonly Memory: new(pages: { readonly initial: number; readonly maximum: number }) => Memory
}

// Node has had it for as long as it has had ES modules.
export const webAssembly = (globalThis as unknown as { readonly WebAssembly: Here }).WebAssembly
