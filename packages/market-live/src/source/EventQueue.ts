import { Effect, Queue } from "effect"

/** An event of a socket, in order of occurrence. All times are from our clock. */
export type SocketEvent<A> =
  /** The subscription is active: every message is received from now on. */
  | { readonly _tag: "up"; readonly at: number }
  /** A value was received. */
  | { readonly _tag: "heard"; readonly value: A; readonly at: number }
  /** Everything that happened until `at`, since `up` or the last gap, has been delivered. */
  | { readonly _tag: "alive"; readonly at: number }
  /** Events in `[from, to)` may have been missed, and will not be delivered. */
  | { readonly _tag: "gap"; readonly from: number; readonly to: number; readonly why: string }

/**
 * A bounded queue of received events. Events that arrive while it is full are dropped, and reported as a gap as soon as
 * there is room. A slow reader therefore costs a bounded amount of memory, and its losses are known.
 */
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

  /** Waits for at least one event, and takes all that are queued. */
  get take(): Effect.Effect<ReadonlyArray<SocketEvent<A>>> {
    return Queue.takeAll(this.#queue)
  }

  /** Adds an event. `from` is the earliest time that the event may describe, and `now` is the time of its arrival. */
  put(event: SocketEvent<A>, from: number, now: number): void {
    if (this.#lostFrom !== undefined) {
      if (this.size > this.#capacity - 2) return
      const gap = { _tag: "gap", from: this.#lostFrom, to: now, why: "its reader is too slow" } as const
      this.#lostFrom = undefined
      Queue.offerUnsafe(this.#queue, gap)
    }
    if (!Queue.offerUnsafe(this.#queue, event)) this.#lostFrom = from
  }
}
