import { headerBytes, messageType } from "./frames.ts"

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

  constructor(
    timeoutMs: number,
    callbacks: { readonly onLate: () => void; readonly onSilent: (sentAt: number) => void }
  ) {
    this.#timeoutMs = timeoutMs
    this.#callbacks = callbacks
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

  onRead(): void {
    this.lastReadAt = performance.now()
  }

  onMessage(type: number, body: Uint8Array): void {
    if (type === messageType.readyForQuery) this.#onResponse()
    else if (type === messageType.backendKeyData) this.cancelKey = body
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
