import type { SocketReader } from "./SocketReader.ts"

/** Events that all readers have are let go of when there are so many. */
const trimFrom = 64

/**
 * The end of one log: the events that some of its readers do not have yet, each once, however many read it. It is fed
 * by whoever follows the log.
 */
export class Tail {
  /** Events with numbers above it are kept here, as far as they have come. */
  base: number
  readonly readers = new Set<SocketReader>()
  #events: Array<Uint8Array> = []
  #isEnded = false

  constructor(after: number) {
    this.base = after
  }

  /** The number of the last event that has come. */
  get last(): number {
    return this.base + this.#events.length
  }

  /** True when it has, or will have, all that comes after what a reader has. */
  reaches(reader: SocketReader): boolean {
    return reader.sent >= this.base
  }

  add(reader: SocketReader): void {
    this.readers.add(reader)
    reader.onRoom = () => this.#push(reader)
    this.#push(reader)
  }

  remove(reader: SocketReader): void {
    reader.onRoom = undefined
    this.readers.delete(reader)
  }

  /** Gives events to the readers: those that follow `last`, in order. */
  take(events: ReadonlyArray<Uint8Array>): void {
    for (const event of events) this.#events.push(event)
    for (const reader of this.readers) this.#push(reader)
    this.#trim()
  }

  /** Says that no event follows: readers end once they have all. */
  end(): void {
    this.#isEnded = true
    for (const reader of this.readers) this.#push(reader)
  }

  #push(reader: SocketReader): void {
    if (reader.isBlocked || reader.isOver) return
    while (reader.sent < this.last && !reader.isBlocked) reader.write(this.#events[reader.sent - this.base]!)
    if (this.#isEnded && reader.sent >= this.last) reader.end()
  }

  #trim(): void {
    if (this.#events.length < trimFrom) return
    let least = this.last
    for (const { sent } of this.readers) least = Math.min(least, sent)
    if (least - this.base < trimFrom) return
    this.#events = this.#events.slice(least - this.base)
    this.base = least
  }
}
