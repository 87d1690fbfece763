import type { SocketEvent } from "../../source/index.ts"
import type { BlueskyFrame } from "../../sources/bluesky/Frames.ts"

/**
 * Tracks the coverage of a stream that can replay missed events, by the stream's own time. A lost connection is no gap
 * if the stream resumes from before its end. Events that were lost or left out in this process are a gap.
 */
export class Retold {
  readonly #from: number | null
  /** The time of the stream up to which everything was received; undefined before its first message. */
  #toldUntil: number | undefined
  #isBroken = true
  #isLossy = false
  #why = ""

  constructor(from: number | null) {
    this.#from = from
  }

  /** Converts a socket event to events with the stream's time. */
  of<A>(
    event: SocketEvent<BlueskyFrame>,
    valuesOf: (frame: BlueskyFrame) => ReadonlyArray<A>
  ): ReadonlyArray<SocketEvent<A>> {
    switch (event._tag) {
      case "alive":
        return []
      case "up":
        // The first message shows whether something is missing.
        this.#isBroken = true
        this.#isLossy = false
        return []
      case "gap":
        this.#lose(event.why)
        return []
      case "heard":
        return this.#heard(event.value, valuesOf(event.value))
    }
  }

  #lose(why: string): void {
    this.#isLossy = true
    this.#why = why
  }

  #heard<A>(frame: BlueskyFrame, values: ReadonlyArray<A>): ReadonlyArray<SocketEvent<A>> {
    const { time } = frame
    const told: Array<SocketEvent<A>> = this.#beginning(time)
    if (frame._tag === "sampled") this.#lose("more is said about coins than is kept")
    for (const value of values) told.push({ _tag: "heard", value, at: time })
    if (frame._tag === "told" && time > (this.#toldUntil ?? time)) {
      this.#toldUntil = time
      told.push({ _tag: "alive", at: time })
    }
    return told
  }

  /** The coverage events at the first message after a possible interruption. */
  #beginning<A>(time: number): Array<SocketEvent<A>> {
    const until = this.#toldUntil
    const [isBroken, isLossy] = [this.#isBroken, this.#isLossy]
    this.#isBroken = false
    this.#isLossy = false
    if (until === undefined) {
      const at = this.#from !== null && time <= this.#from ? this.#from : time
      this.#toldUntil = at
      return [{ _tag: "up", at }]
    }
    // Events that were lost here arrived before this message, or in the same millisecond.
    const to = isLossy ? Math.max(time, until) + 1 : isBroken ? time : until
    if (to <= until) return []
    this.#toldUntil = to
    return [{ _tag: "gap", from: until, to, why: isLossy ? this.#why : "it told no more of it" }]
  }
}
