/** The first bytes of the protocol messages that are examined. */
export const messageType = {
  backendKeyData: 0x4b,
  error: 0x45,
  notice: 0x4e,
  query: 0x51,
  readyForQuery: 0x5a,
  sync: 0x53
} as const

export const headerBytes = 5

/**
 * Finds the protocol messages in a server's data, whose chunks can end anywhere within a message. `onMessage` receives
 * the body of messages of the types `bodyTypes`, and an empty body for all other messages.
 */
export class FrameReader {
  readonly #header = Buffer.alloc(headerBytes)
  #headerFilled = 0
  #bodyBytesLeft = 0
  #bodyChunks: Array<Uint8Array> | undefined
  readonly #bodyTypes: ReadonlySet<number>
  readonly #onMessage: (type: number, body: Uint8Array) => void

  constructor(bodyTypes: ReadonlySet<number>, onMessage: (type: number, body: Uint8Array) => void) {
    this.#bodyTypes = bodyTypes
    this.#onMessage = onMessage
  }

  push(chunk: Uint8Array): void {
    let offset = 0
    while (offset < chunk.length) {
      if (this.#headerFilled < headerBytes) {
        this.#header[this.#headerFilled++] = chunk[offset++]!
        if (this.#headerFilled < headerBytes) continue
        // The length in the header includes the four bytes of the length itself.
        this.#bodyBytesLeft = this.#header.readUInt32BE(1) - 4
        this.#bodyChunks = this.#bodyTypes.has(this.#header[0]!) ? [] : undefined
      } else {
        const end = Math.min(chunk.length, offset + this.#bodyBytesLeft)
        this.#bodyChunks?.push(chunk.subarray(offset, end))
        this.#bodyBytesLeft -= end - offset
        offset = end
      }
      if (this.#bodyBytesLeft > 0) continue
      this.#headerFilled = 0
      this.#onMessage(this.#header[0]!, this.#bodyChunks === undefined ? emptyBody : Buffer.concat(this.#bodyChunks))
    }
  }
}

const emptyBody = new Uint8Array(0)

/**
 * Returns a field of an error or a notice, or null. An example of a field is "C", the SQLSTATE. The body consists of
 * pairs of a byte and a text that ends with a NUL.
 */
export const readField = (body: Uint8Array, name: string): string | null => {
  const fields = Buffer.from(body).toString("latin1").split("\0")
  return fields.find((field) => field.startsWith(name))?.slice(1) ?? null
}
