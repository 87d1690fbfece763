import { defaultNodeServerSettings } from "../nodeServer.ts"

/** How often an upload is measured. */
export const measureEveryMs = 1_000
/** Number of measurements from which the present speed of an upload is calculated. */
const speedSpan = 3
/** Number of measurements between two checks of an upload's pace. */
const paceSpan = 10
/** Minimum bytes between two checks: 16 KiB a second, the speed of a line with 128 kbit/s. */
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

  /** `declared` is the body's length; undefined if the request does not declare it. `limit` is the maximum length. */
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
   * The time that the rest of the body takes at the present speed, in ms. Infinite if nothing arrives, or if more
   * arrived than the maximum length: chunks of a body can be sent with any number of bytes around them. 0 before the
   * second measurement, because there is no speed yet.
   */
  get remainingMs(): number {
    const span = Math.min(this.#measured, speedSpan)
    const rest = (this.#declared ?? this.#limit) - this.#received.at(-1)!
    if (span < 2) return 0
    if (rest <= 0) return this.#declared === undefined ? Infinity : 0
    return rest / this.#during(span) * span * measureEveryMs
  }

  /**
   * Whether the body arrives too slowly. This is so if less than `minPaceBytes` arrived since the last check. It is
   * also so at less than half of the speed at which a body of the declared length arrives within the request timeout.
   */
  get isTooSlow(): boolean {
    if (this.#measured % paceSpan !== 0) return false
    const share = this.#measured * measureEveryMs / defaultNodeServerSettings.requestTimeoutMs
    return this.#during(paceSpan) < minPaceBytes || this.#received.at(-1)! < (this.#declared ?? 0) * share / 2
  }
}
