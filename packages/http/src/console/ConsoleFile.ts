/** A file of the console, as browsers receive it. */
export interface ConsoleFile {
  /** The path below `/app/`, without a leading slash, such as `index.html`. */
  readonly path: string
  /** The media type, with a charset for texts. */
  readonly type: string
  /** A tag that changes only with the file's bytes. */
  readonly etag: string
  /** Whether the name changes with the bytes, so that caches can keep the file forever. */
  readonly immutable: boolean
  readonly bytes: Uint8Array
  /** The compressed bytes, if they are fewer. */
  readonly gzip?: Uint8Array | undefined
  readonly brotli?: Uint8Array | undefined
}
