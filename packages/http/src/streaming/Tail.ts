import type { SentEvent, SocketReader } from "./SocketReader.ts"

/**
 * The end of one log: the events that some of its readers do not have yet, each once, however many read it. It is fed
 * by whoever follows the log.
 */
export class Tail {
  /** Events with numbers above it are kept here, as far as they have come. */
  #base: number
  /** The number of the last event that has come. */
  #last: number
  readonly readers = new Set<SocketReader>()
  #events: Array<SentEvent> = []
  #end: "whole" | "broken" | undefined = undefined

  constructor(after: number) {
    this.#base = after
    this.#last = after
  }

  get last(): number {
    return this.#last
  }

  /** True when it has, or will have, all that comes after what a reader has. */
  reaches(reader: SocketReader): boolean {
    return reader.sent >= this.#base
  }

  add(reader: SocketReader): void {
    this.readers.add(reader)
    reader.onRoom = this.#push
    this.#push(reader)
  }

  remove(reader: SocketReader): void {
    reader.onRoom = undefined
    this.readers.delete(reader)
  }

  /** Gives events to the readers: those that follow `last`, in order. */
  take(events: ReadonlyArray<SentEvent>): void {
    for (const event of events) this.#events.push(event)
    this.#last = events.at(-1)?.n ?? this.#last
    for (const reader of this.readers) this.#push(reader)
    this.#trim()
  }

  /** Says that no event follows: readers end once they have all. */
  end(): void {
    this.#end = "whole"
    for (const reader of this.readers) this.#push(reader)
  }

  /** Says that what follows cannot be had here: readers are cut off, and who comes later is as well. */
  break(): void {
    this.#end = "broken"
    for (const reader of this.readers) this.#push(reader)
  }

  readonly #push = (reader: SocketReader): void => {
    if (this.#end === "broken") reader.cut()
    let next = this.#events.length
    while (next > 0 && this.#events[next - 1]!.n > reader.sent) next--
    while (next < this.#events.length && !reader.isBlocked && !reader.isOver) reader.write(this.#events[next++]!)
    if (this.#end === "whole" && reader.sent >= this.#last && !reader.isBlocked) reader.end()
  }

  /** Lets go of what all readers have. */
  #trim(): void {
    let least = this.#last
    for (const { sent } of this.readers) least = Math.min(least, sent)
    if (least === this.#base) return
    this.#events = least === this.#last ? [] : this.#events.filter(({ n }) => n > least)
    this.#base = least
  }
}
