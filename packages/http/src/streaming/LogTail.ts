import type { SocketReader, StreamEvent } from "./SocketReader.ts"

/**
 * The newest events of a log, kept until all readers have received the events. Each event is stored once for any number
 * of readers.
 */
export class LogTail {
  /** The number of the newest event that the tail does not store. */
  #firstStoredAfter: number
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

  /**
   * Returns whether a reader can continue with the tail, which requires that the tail contains every event after the
   * reader's last event.
   */
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

  /** Appends events, in order and without a gap after the last event, and sends the events to the readers. */
  append(events: ReadonlyArray<StreamEvent>): void {
    for (const event of events) this.#events.push(event)
    this.#lastArrived = events.at(-1)?.sequence ?? this.#lastArrived
    for (const reader of this.readers) this.#sendPending(reader)
    this.#trim()
  }

  /** Marks the log as complete, so that each reader ends after its last event. */
  end(): void {
    this.#state = "whole"
    for (const reader of this.readers) this.#sendPending(reader)
  }

  /**
   * Disconnects all current readers, and every reader that is added later, because further events are unavailable.
   */
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

  #trim(): void {
    let lowestSent = this.#lastArrived
    for (const { lastSent } of this.readers) lowestSent = Math.min(lowestSent, lastSent)
    if (lowestSent === this.#firstStoredAfter) return
    this.#events = lowestSent === this.#lastArrived ? [] : this.#events.filter(({ sequence }) => sequence > lowestSent)
    this.#firstStoredAfter = lowestSent
  }
}
