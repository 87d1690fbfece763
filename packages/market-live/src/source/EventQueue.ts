import { Effect, Queue } from "effect"

/** An event that a socket reports, with times of the local clock. */
export type SocketEvent<A> =
  /** From the time `at`, the subscription is active and all messages are received. */
  | { readonly _tag: "up"; readonly at: number }
  /** A message was received and parsed to `value`. */
  | { readonly _tag: "heard"; readonly value: A; readonly at: number }
  /** All events between the last `up` or `gap` event and the time `at` have been delivered. */
  | { readonly _tag: "alive"; readonly at: number }
  /** Events in `[from, to)` may have been missed. Missed events are not delivered later. */
  | { readonly _tag: "gap"; readonly from: number; readonly to: number; readonly why: string }

/** A bounded queue of received events, which drops events while it is full and reports the loss as a gap. */
export class EventQueue<A> {
  readonly #queue: Queue.Queue<SocketEvent<A>>
  readonly #capacity: number
  #lostFrom: number | undefined

  private constructor(queue: Queue.Queue<SocketEvent<A>>, capacity: number) {
    this.#queue = queue
    this.#capacity = capacity
  }

  static readonly make = <A>(capacity: number): Effect.Effect<EventQueue<A>> =>
    Effect.map(Queue.dropping<SocketEvent<A>>(capacity), (queue) => new EventQueue(queue, capacity))

  get size(): number {
    return Queue.sizeUnsafe(this.#queue)
  }

  /** Waits for at least one event, and takes all queued events. */
  get take(): Effect.Effect<ReadonlyArray<SocketEvent<A>>> {
    return Queue.takeAll(this.#queue)
  }

  /**
   * Adds an event that arrived at `now`. If the queue is full, the event is dropped and reported as a gap that begins
   * at `from`.
   */
  put(event: SocketEvent<A>, from: number, now: number): void {
    if (this.#lostFrom !== undefined) {
      if (this.size > this.#capacity - 2) return
      const gap = { _tag: "gap", from: this.#lostFrom, to: now, why: "the reader is too slow" } as const
      this.#lostFrom = undefined
      Queue.offerUnsafe(this.#queue, gap)
    }
    if (!Queue.offerUnsafe(this.#queue, event)) this.#lostFrom = from
  }
}
