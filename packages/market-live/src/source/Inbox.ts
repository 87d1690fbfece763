import { Effect, Queue } from "effect"

/** What a socket tells, in the order in which it happened; instants are ours. */
export type SocketEvent<A> =
  /** From now on everything is heard. */
  | { readonly _tag: "up"; readonly at: number }
  /** Somebody said something. */
  | { readonly _tag: "heard"; readonly value: A; readonly at: number }
  /** Everything that happened until then, since it was up or a gap ended, has been told. */
  | { readonly _tag: "alive"; readonly at: number }
  /** What happened in `[from, to)` may not have been told, and will not be. */
  | { readonly _tag: "gap"; readonly from: number; readonly to: number; readonly why: string }

/**
 * What was heard and not taken yet, bounded: what comes while it is full is lost, and that it was is told as a gap as
 * soon as there is room. A reader that is slow costs memory once, and its losses are known.
 */
export class Inbox<A> {
  readonly #queue: Queue.Queue<SocketEvent<A>>
  readonly #capacity: number
  #lostFrom: number | undefined

  private constructor(queue: Queue.Queue<SocketEvent<A>>, capacity: number) {
    this.#queue = queue
    this.#capacity = capacity
  }

  static readonly make = <A>(capacity: number): Effect.Effect<Inbox<A>> =>
    Effect.map(Queue.dropping<SocketEvent<A>>(capacity), (queue) => new Inbox(queue, capacity))

  get size(): number {
    return Queue.sizeUnsafe(this.#queue)
  }

  /** At least one event, and all that there are. */
  get take(): Effect.Effect<ReadonlyArray<SocketEvent<A>>> {
    return Queue.takeAll(this.#queue)
  }

  /** `from` is when what the event tells may have begun to happen; `now` is when it came. */
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
