import { Queue } from "effect"

/** A notice that `notify` or `pg_notify` sent on a channel. */
export interface Notice {
  readonly _tag: "Notice"
  readonly channel: string
  readonly payload: string
}

/** Earlier notices may have been missed. Later notices arrive. */
export interface Gap {
  readonly _tag: "Gap"
}

/** The queue of one listener of a channel. */
export type Ear = Queue.Queue<Notice | Gap>

export const gap: Gap = { _tag: "Gap" }

/** The listeners of each channel. */
export class Ears {
  readonly #byChannel = new Map<string, Set<Ear>>()

  get channels(): ReadonlyArray<string> {
    return [...this.#byChannel.keys()]
  }

  add(channel: string, ear: Ear): void {
    const ears = this.#byChannel.get(channel) ?? new Set()
    this.#byChannel.set(channel, ears.add(ear))
  }

  /** Returns true if the channel has no listeners left. */
  remove(channel: string, ear: Ear): boolean {
    const ears = this.#byChannel.get(channel)
    ears?.delete(ear)
    return ears?.size === 0 && this.#byChannel.delete(channel)
  }

  tell(channel: string, payload: string): void {
    this.#byChannel.get(channel)?.forEach((ear) => Queue.offerUnsafe(ear, { _tag: "Notice", channel, payload }))
  }

  tellGap(): void {
    for (const ears of this.#byChannel.values()) ears.forEach((ear) => Queue.offerUnsafe(ear, gap))
  }
}
