/** The types of messages in PostgreSQL's protocol, as bytes. */
export const messageType = {
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
export const countRequests = (messages: Buffer): number => {
  let count = 0
  for (let offset = 0; offset + headerBytes <= messages.length;) {
    if (messages[offset] === messageType.sync || messages[offset] === messageType.query) count++
    offset += 1 + messages.readUInt32BE(offset + 1)
  }
  return count
}

/**
 * Finds the messages in a server's data, however the data is cut into pieces. Passes on the body of messages of the
 * type `bodyType`, and an empty body for all others.
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
        // The length includes its own four bytes.
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

/** Returns the time after which a statement is late, in ms. The server needs the rest of the time to end it. */
export const toServerTimeoutMs = (timeoutMs: number): number => Math.round(0.8 * timeoutMs)

/**
 * Watches how long a session owes a response, from the data that is written and read. Calls `onLate` some time before
 * the deadline of a statement, once for as long as the session owes anything. Calls `onSilent` if the response is still
 * missing at the deadline. Times are of a monotonic clock.
 */
export class ResponseWatchdog {
  /** When the session last sent data. */
  lastReadAt = performance.now()
  /** The process and the secret that a cancel request for the session contains. */
  cancelKey: Uint8Array | undefined
  /** When the unanswered statements were sent. The oldest is at `#oldestIndex`. */
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
    // The first message has no type. The code that connects waits for its response.
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

  // Responses that arrived while this process could not run are read first. The check therefore runs after them.
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
