import { byte, FrameReader, questionsIn } from "./frames.ts"

/** A statement that takes so much of its time is late, ms: the rest is left to the server for ending it. */
export const lateAfterMs = (withinMs: number): number => Math.round(0.8 * withinMs)

/**
 * Watches how long a session owes an answer, by what is written to it and read from it. A statement that is late is
 * told to `late` some time before its deadline, once for as long as the session owes anything; a session that still
 * owes it at the deadline is told to `silent`. Times are of a clock that nobody sets.
 */
export class AnswerWatch {
  /** When the session last said something. */
  heardAt = performance.now()
  /** Process and secret, as a request to cancel what the session runs names them. */
  key: Uint8Array | undefined
  /** When the statements that are not answered were sent, the oldest at `#first`. */
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
    // The first message has no type; its answer is waited for by who connects.
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

  // Answers that came while this process itself could not run are read first, so it looks once more after them.
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
