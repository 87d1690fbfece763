import type { SocketReader, StreamEvent } from "./SocketReader.ts"

/**
 * The end of one log: the events that some of its readers do not have yet. Each event is stored once, for any number of
 * readers. The code that follows the log adds the events.
 */
export class LogTail {
  /** Events with greater numbers are stored here once they arrive. */
  #firstStoredAfter: number
  /** The number of the last event that arrived. */
  #lastArrived: number
  readonly readers = new Set<SocketReader>()
  #events: Array<StreamEvent> = []
  #state: "whole" | "broken" | undefined = undefined

  constructor(after: number) {
    this.#firstStoredAfter = after
    this.#lastArrived = after
  }

  get last(): number {
    return this.#lastArrived
  }

  /** Whether the tail has, or will have, all events that follow the events of a reader. */
  continuesFrom(reader: SocketReader): boolean {
    return reader.lastSent >= this.#firstStoredAfter
  }

  add(reader: SocketReader): void {
    this.readers.add(reader)
    reader.onWritable = this.#sendPending
    this.#sendPending(reader)
  }

  remove(reader: SocketReader): void {
    reader.onWritable = undefined
    this.readers.delete(reader)
  }

  /** Sends events to the readers. The events must follow `last`, in order. */
  append(events: ReadonlyArray<StreamEvent>): void {
    for (const event of events) this.#events.push(event)
    this.#lastArrived = events.at(-1)?.sequence ?? this.#lastArrived
    for (const reader of this.readers) this.#sendPending(reader)
    this.#trim()
  }

  /** Marks the log as complete. Readers end once they have all events. */
  end(): void {
    this.#state = "whole"
    for (const reader of this.readers) this.#sendPending(reader)
  }

  /** Marks the rest of the log as unavailable here. Disconnects the readers, and all readers that are added later. */
  fail(): void {
    this.#state = "broken"
    for (const reader of this.readers) this.#sendPending(reader)
  }

  readonly #sendPending = (reader: SocketReader): void => {
    if (this.#state === "broken") reader.disconnect()
    let next = this.#events.length
    while (next > 0 && this.#events[next - 1]!.sequence > reader.lastSent) next--
    while (next < this.#events.length && !reader.isBlocked && !reader.hasEnded) reader.write(this.#events[next++]!)
    if (this.#state === "whole" && reader.lastSent >= this.#lastArrived && !reader.isBlocked) reader.end()
  }

  /** Removes the events that all readers have. */
  #trim(): void {
    let lowestSent = this.#lastArrived
    for (const { lastSent } of this.readers) lowestSent = Math.min(lowestSent, lastSent)
    if (lowestSent === this.#firstStoredAfter) return
    this.#events = lowestSent === this.#lastArrived ? [] : this.#events.filter(({ sequence }) => sequence > lowestSent)
    this.#firstStoredAfter = lowestSent
  }
}
