import { byte, FrameReader, questionsIn } from "./frames.ts"

/** Returns the time after which a statement is late, in ms. The server needs the rest of the time to end it. */
export const lateAfterMs = (withinMs: number): number => Math.round(0.8 * withinMs)

/**
 * Watches how long a session owes a response, from the data that is written and read. Calls `late` some time before the
 * deadline of a statement, once for as long as the session owes anything. Calls `silent` if the response is still
 * missing at the deadline. Times are of a monotonic clock.
 */
export class AnswerWatch {
  /** When the session last sent data. */
  heardAt = performance.now()
  /** The process and the secret that a cancel request for the session contains. */
  key: Uint8Array | undefined
  /** When the unanswered statements were sent. The oldest is at `#first`. */
  #sentAt: Array<number> = []
  #first = 0
  #timer: NodeJS.Timeout | undefined
  #told = false
  #began = false
  readonly #withinMs: number
  readonly #on: { readonly late: () => void; readonly silent: (sentAt: number) => void }
  readonly #reader: FrameReader

  constructor(
    withinMs: number,
    on: { readonly late: () => void; readonly silent: (sentAt: number) => void }
  ) {
    this.#withinMs = withinMs
    this.#on = on
    this.#reader = new FrameReader(byte.backendKeyData, (type, body) => {
      if (type === byte.readyForQuery) this.#answered()
      else if (type === byte.backendKeyData) this.key = body
    })
  }

  get owes(): boolean {
    return this.#first < this.#sentAt.length
  }

  wrote(messages: Buffer): void {
    // The first message has no type. The code that connects waits for its response.
    if (!this.#began) {
      this.#began = true
      return
    }
    const questions = questionsIn(messages)
    if (questions === 0) return
    const now = performance.now()
    for (let i = 0; i < questions; i++) this.#sentAt.push(now)
    this.#timer ??= setTimeout(this.#look, lateAfterMs(this.#withinMs))
  }

  read(piece: Uint8Array): void {
    this.heardAt = performance.now()
    this.#reader.push(piece)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sentAt = []
    this.#first = 0
  }

  #answered(): void {
    if (!this.owes) return
    if (++this.#first < this.#sentAt.length) return
    this.#sentAt.length = 0
    this.#first = 0
    this.#told = false
  }

  // Responses that arrived while this process could not run are read first. The check therefore runs after them.
  readonly #look = (): void => {
    if (this.owes && this.#age() >= this.#withinMs) setImmediate(this.#judge)
    else this.#judge()
  }

  readonly #judge = (): void => {
    this.#timer = undefined
    if (!this.owes) return
    const age = this.#age()
    if (age >= this.#withinMs) return this.#on.silent(this.#sentAt[this.#first]!)
    const lateAt = lateAfterMs(this.#withinMs)
    if (age >= lateAt && !this.#told) {
      this.#told = true
      this.#on.late()
    }
    this.#timer = setTimeout(this.#look, Math.max(1, (this.#told ? this.#withinMs : lateAt) - age))
  }

  #age(): number {
    return performance.now() - this.#sentAt[this.#first]!
  }
}
