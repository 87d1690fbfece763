/** The types of messages in PostgreSQL's protocol, as bytes. */
export const byte = {
  backendKeyData: 0x4b,
  query: 0x51,
  readyForQuery: 0x5a,
  sync: 0x53
} as const

const headerBytes = 5

/**
 * Counts the requests in complete messages of a client. Each request has its own response, which ends with a
 * ReadyForQuery.
 */
export const questionsIn = (messages: Buffer): number => {
  let count = 0
  for (let at = 0; at + headerBytes <= messages.length;) {
    if (messages[at] === byte.sync || messages[at] === byte.query) count++
    at += 1 + messages.readUInt32BE(at + 1)
  }
  return count
}

/**
 * Finds the messages in a server's data, however the data is cut into pieces. Passes on the body of messages of the
 * type `keeps`, and an empty body for all others.
 */
export class FrameReader {
  readonly #header = Buffer.alloc(headerBytes)
  #headerFilled = 0
  #bodyLeft = 0
  #kept: Array<Uint8Array> | undefined
  readonly #keeps: number
  readonly #found: (type: number, body: Uint8Array) => void

  constructor(keeps: number, found: (type: number, body: Uint8Array) => void) {
    this.#keeps = keeps
    this.#found = found
  }

  push(piece: Uint8Array): void {
    let at = 0
    while (at < piece.length) {
      if (this.#headerFilled < headerBytes) {
        this.#header[this.#headerFilled++] = piece[at++]!
        if (this.#headerFilled < headerBytes) continue
        // The length includes its own four bytes.
        this.#bodyLeft = this.#header.readUInt32BE(1) - 4
        this.#kept = this.#header[0] === this.#keeps ? [] : undefined
      } else {
        const end = Math.min(piece.length, at + this.#bodyLeft)
        this.#kept?.push(piece.subarray(at, end))
        this.#bodyLeft -= end - at
        at = end
      }
      if (this.#bodyLeft > 0) continue
      this.#headerFilled = 0
      this.#found(this.#header[0]!, this.#kept === undefined ? nothing : Buffer.concat(this.#kept))
    }
  }
}

const nothing = new Uint8Array(0)
