import type { SentEvent, SocketReader } from "./SocketReader.ts"

/**
 * The end of one log: the events that some of its readers do not have yet. Each event is stored once, for any number of
 * readers. The code that follows the log adds the events.
 */
export class Tail {
  /** Events with greater numbers are stored here once they arrive. */
  #base: number
  /** The number of the last event that arrived. */
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

  /** Whether the tail has, or will have, all events that follow the events of a reader. */
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

  /** Sends events to the readers. The events must follow `last`, in order. */
  take(events: ReadonlyArray<SentEvent>): void {
    for (const event of events) this.#events.push(event)
    this.#last = events.at(-1)?.n ?? this.#last
    for (const reader of this.readers) this.#push(reader)
    this.#trim()
  }

  /** Marks the log as complete. Readers end once they have all events. */
  end(): void {
    this.#end = "whole"
    for (const reader of this.readers) this.#push(reader)
  }

  /** Marks the rest of the log as unavailable here. Disconnects the readers, and all readers that are added later. */
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

  /** Removes the events that all readers have. */
  #trim(): void {
    let least = this.#last
    for (const { sent } of this.readers) least = Math.min(least, sent)
    if (least === this.#base) return
    this.#events = least === this.#last ? [] : this.#events.filter(({ n }) => n > least)
    this.#base = least
  }
}
