import { Queue } from "effect"

/** What `notify` or `pg_notify` told on a channel. */
export interface Notice {
  readonly _tag: "Notice"
  readonly channel: string
  readonly payload: string
}

/** Notices may have been missed before this; what is told afterwards is not. */
export interface Gap {
  readonly _tag: "Gap"
}

/** One who listens to a channel. */
export type Ear = Queue.Queue<Notice | Gap>

export const gap: Gap = { _tag: "Gap" }

/** Who listens to what. */
export class Ears {
  readonly #byChannel = new Map<string, Set<Ear>>()

  get channels(): ReadonlyArray<string> {
    return [...this.#byChannel.keys()]
  }

  add(channel: string, ear: Ear): void {
    const ears = this.#byChannel.get(channel) ?? new Set()
    this.#byChannel.set(channel, ears.add(ear))
  }

  /** True when nobody listens to the channel any more. */
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
