import type { SocketEvent } from "../../source/index.ts"
import type { BlueskyFrame } from "../../sources/bluesky/Frames.ts"

/**
 * What a stream told that tells again what was missed, by its own time: a connection that was lost is no gap where it
 * goes on from before its end. What was lost of it here, or left out, is one.
 */
export class Retold {
  readonly #from: number | null
  /** By the stream's time, everything until then was told; undefined before its first word. */
  #toldUntil: number | undefined
  #isBroken = true
  #isLossy = false
  #why = ""

  constructor(from: number | null) {
    this.#from = from
  }

  /** The events of one that came, each of the stream's time. */
  of<A>(
    event: SocketEvent<BlueskyFrame>,
    valuesOf: (frame: BlueskyFrame) => ReadonlyArray<A>
  ): ReadonlyArray<SocketEvent<A>> {
    switch (event._tag) {
      case "alive":
        return []
      case "up":
        // Whether something is missing, its first word says.
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

  /** Where it goes on after something that may have been missed. */
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
    // What was lost here was seen before this, or in the same millisecond.
    const to = isLossy ? Math.max(time, until) + 1 : isBroken ? time : until
    if (to <= until) return []
    this.#toldUntil = to
    return [{ _tag: "gap", from: until, to, why: isLossy ? this.#why : "it told no more of it" }]
  }
}
