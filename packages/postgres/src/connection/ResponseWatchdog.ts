export const messageType = {
  backendKeyData: 0x4b,
  query: 0x51,
  readyForQuery: 0x5a,
  sync: 0x53
} as const

const headerBytes = 5

/**
 * Counts the requests in a buffer of complete protocol messages. The server answers each request with one ReadyForQuery
 * message.
 */
export const countRequests = (messages: Buffer): number => {
  let count = 0
  for (let offset = 0; offset + headerBytes <= messages.length;) {
    if (messages[offset] === messageType.sync || messages[offset] === messageType.query) count++
    offset += 1 + messages.readUInt32BE(offset + 1)
  }
  return count
}

/**
 * Finds the protocol messages in a server's data, whose chunks can end anywhere within a message. `onMessage` receives
 * the body of messages of the type `bodyType`, and an empty body for all other messages.
 */
export class FrameReader {
  readonly #header = Buffer.alloc(headerBytes)
  #headerFilled = 0
  #bodyBytesLeft = 0
  #bodyChunks: Array<Uint8Array> | undefined
  readonly #bodyType: number
  readonly #onMessage: (type: number, body: Uint8Array) => void

  constructor(bodyType: number, onMessage: (type: number, body: Uint8Array) => void) {
    this.#bodyType = bodyType
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
        this.#bodyChunks = this.#header[0] === this.#bodyType ? [] : undefined
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

/** Returns the duration in ms after which a statement counts as late: four fifths of `timeoutMs`. */
export const toServerTimeoutMs = (timeoutMs: number): number => Math.round(0.8 * timeoutMs)

/**
 * Measures how long a session takes to respond to statements. `onLate` is called when a statement is late, but before
 * the deadline. `onLate` is called again only after the session has answered all statements. `onSilent` is called if
 * the response is still missing at the deadline.
 */
export class ResponseWatchdog {
  /** The time of a monotonic clock in ms at which data of the server last arrived. */
  lastReadAt = performance.now()
  /** The process id and the secret key that a cancel request for the session must contain. */
  cancelKey: Uint8Array | undefined
  /** The send times of the unanswered statements, beginning at `#oldestIndex`. */
  #sentAt: Array<number> = []
  #oldestIndex = 0
  #timer: NodeJS.Timeout | undefined
  #hasReportedLate = false
  #hasStarted = false
  readonly #timeoutMs: number
  readonly #callbacks: { readonly onLate: () => void; readonly onSilent: (sentAt: number) => void }
  readonly #frames: FrameReader

  constructor(
    timeoutMs: number,
    callbacks: { readonly onLate: () => void; readonly onSilent: (sentAt: number) => void }
  ) {
    this.#timeoutMs = timeoutMs
    this.#callbacks = callbacks
    this.#frames = new FrameReader(messageType.backendKeyData, (type, body) => {
      if (type === messageType.readyForQuery) this.#onResponse()
      else if (type === messageType.backendKeyData) this.cancelKey = body
    })
  }

  get isAwaitingResponse(): boolean {
    return this.#oldestIndex < this.#sentAt.length
  }

  onWrite(messages: Buffer): void {
    // The first message has no type byte, and the connecting code waits for the response to the first message.
    if (!this.#hasStarted) {
      this.#hasStarted = true
      return
    }
    const requestCount = countRequests(messages)
    if (requestCount === 0) return
    const now = performance.now()
    for (let i = 0; i < requestCount; i++) this.#sentAt.push(now)
    this.#timer ??= setTimeout(this.#scheduleCheck, toServerTimeoutMs(this.#timeoutMs))
  }

  onRead(chunk: Uint8Array): void {
    this.lastReadAt = performance.now()
    this.#frames.push(chunk)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sentAt = []
    this.#oldestIndex = 0
  }

  #onResponse(): void {
    if (!this.isAwaitingResponse) return
    if (++this.#oldestIndex < this.#sentAt.length) return
    this.#sentAt.length = 0
    this.#oldestIndex = 0
    this.#hasReportedLate = false
  }

  // After a pause of the process, responses that have already arrived must be read before the check.
  readonly #scheduleCheck = (): void => {
    if (this.isAwaitingResponse && this.#oldestAgeMs() >= this.#timeoutMs) setImmediate(this.#check)
    else this.#check()
  }

  readonly #check = (): void => {
    this.#timer = undefined
    if (!this.isAwaitingResponse) return
    const age = this.#oldestAgeMs()
    if (age >= this.#timeoutMs) return this.#callbacks.onSilent(this.#sentAt[this.#oldestIndex]!)
    const serverTimeoutMs = toServerTimeoutMs(this.#timeoutMs)
    if (age >= serverTimeoutMs && !this.#hasReportedLate) {
      this.#hasReportedLate = true
      this.#callbacks.onLate()
    }
    this.#timer = setTimeout(
      this.#scheduleCheck,
      Math.max(1, (this.#hasReportedLate ? this.#timeoutMs : serverTimeoutMs) - age)
    )
  }

  #oldestAgeMs(): number {
    return performance.now() - this.#sentAt[this.#oldestIndex]!
  }
}
