import { defaultNodeServerSettings } from "../nodeServer.ts"

/** How often an upload is measured. */
export const measureEveryMs = 1_000
/** Measurements over which the present speed of an upload is taken. */
const speedSpan = 3
/** Measurements between two checks of an upload's pace. */
const paceSpan = 10
/** The fewest bytes between two checks: 16 KiB a second, which a line of 128 kbit/s has. */
const minPaceBytes = 160 * 1024

/** Counts the bytes that arrive, as a socket does. */
export interface Connection {
  readonly bytesRead: number
}

/** A large body that arrives on a connection. */
export class Upload {
  readonly #connection: Connection
  readonly #bytesBefore: number
  readonly #declared: number | undefined
  readonly #limit: number
  /** The bytes received at the last measurements, the newest last. */
  #received: ReadonlyArray<number> = [0]
  #measured = 0

  /** `declared` is the body's length; undefined if the request does not say it. `limit` is the longest length. */
  constructor(connection: Connection, declared: number | undefined, limit: number) {
    this.#connection = connection
    this.#bytesBefore = connection.bytesRead
    this.#declared = declared
    this.#limit = limit
  }

  measure(): void {
    this.#measured++
    const received = this.#connection.bytesRead - this.#bytesBefore
    this.#received = [...this.#received.slice(-paceSpan), received]
  }

  /** The bytes received during the last measurements. */
  #during(span: number): number {
    return this.#received.at(-1)! - this.#received.at(-1 - span)!
  }

  /**
   * How long the rest of the body takes at the present speed, in ms. Infinite if nothing arrives, and if more arrived
   * than the longest body has: chunks of a body can be sent with any number of bytes around them. 0 before the second
   * measurement: there is no speed yet.
   */
  get remainingMs(): number {
    const span = Math.min(this.#measured, speedSpan)
    const rest = (this.#declared ?? this.#limit) - this.#received.at(-1)!
    if (span < 2) return 0
    if (rest <= 0) return this.#declared === undefined ? Infinity : 0
    return rest / this.#during(span) * span * measureEveryMs
  }

  /**
   * Whether the body comes too slowly: less than `minPaceBytes` since the last check, or less than half of what would
   * bring a body of the declared length within the time that a request has.
   */
  get isTooSlow(): boolean {
    if (this.#measured % paceSpan !== 0) return false
    const share = this.#measured * measureEveryMs / defaultNodeServerSettings.requestTimeoutMs
    return this.#during(paceSpan) < minPaceBytes || this.#received.at(-1)! < (this.#declared ?? 0) * share / 2
  }
}
