import type { SocketEvent } from "../source/index.ts"
import type { BlueskyFrame } from "./FrameReader.ts"

/**
 * Tracks the coverage of a stream that can replay missed events, by the stream's own time. A lost connection is no gap
 * if the stream resumes from before its end. Events that were lost or left out in this process are a gap.
 */
export class ReplayCoverage {
  readonly #recordedUntil: number | null
  /** The time of the stream up to which everything was received; undefined before its first message. */
  #receivedUntil: number | undefined
  #isInterrupted = true
  #hasLosses = false
  #lossReason = ""

  constructor(recordedUntil: number | null) {
    this.#recordedUntil = recordedUntil
  }

  /** Converts a socket event to events with the stream's time. */
  convert<A>(
    event: SocketEvent<BlueskyFrame>,
    valuesOf: (frame: BlueskyFrame) => ReadonlyArray<A>
  ): ReadonlyArray<SocketEvent<A>> {
    switch (event._tag) {
      case "alive":
        return []
      case "up":
        // The first message shows whether something is missing.
        this.#isInterrupted = true
        this.#hasLosses = false
        return []
      case "gap":
        this.#recordLoss(event.why)
        return []
      case "heard":
        return this.#receive(event.value, valuesOf(event.value))
    }
  }

  #recordLoss(why: string): void {
    this.#hasLosses = true
    this.#lossReason = why
  }

  #receive<A>(frame: BlueskyFrame, values: ReadonlyArray<A>): ReadonlyArray<SocketEvent<A>> {
    const { time } = frame
    const events: Array<SocketEvent<A>> = this.#resume(time)
    if (frame._tag === "sampled") this.#recordLoss("more is said about coins than is kept")
    for (const value of values) events.push({ _tag: "heard", value, at: time })
    if (frame._tag === "told" && time > (this.#receivedUntil ?? time)) {
      this.#receivedUntil = time
      events.push({ _tag: "alive", at: time })
    }
    return events
  }

  /** The coverage events at the first message after a possible interruption. */
  #resume<A>(time: number): Array<SocketEvent<A>> {
    const until = this.#receivedUntil
    const [wasInterrupted, hadLosses] = [this.#isInterrupted, this.#hasLosses]
    this.#isInterrupted = false
    this.#hasLosses = false
    if (until === undefined) {
      const at = this.#recordedUntil !== null && time <= this.#recordedUntil ? this.#recordedUntil : time
      this.#receivedUntil = at
      return [{ _tag: "up", at }]
    }
    // Events that were lost here arrived before this message, or in the same millisecond.
    const to = hadLosses ? Math.max(time, until) + 1 : wasInterrupted ? time : until
    if (to <= until) return []
    this.#receivedUntil = to
    return [{ _tag: "gap", from: until, to, why: hadLosses ? this.#lossReason : "it told no more of it" }]
  }
}
