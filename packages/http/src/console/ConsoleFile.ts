/** A file of the console, as a browser is given it. */
export interface ConsoleFile {
  /** Where it is below `/app/`, without a slash before it: `index.html`. */
  readonly path: string
  /** Its media type, with the charset of a text. */
  readonly type: string
  /** The same for as long as its bytes are. */
  readonly etag: string
  /** True where its name changes with its bytes: caches keep it for good. */
  readonly immutable: boolean
  readonly bytes: Uint8Array
  /** The same compressed, where that makes it smaller. */
  readonly gzip?: Uint8Array | undefined
  readonly brotli?: Uint8Array | undefined
}
