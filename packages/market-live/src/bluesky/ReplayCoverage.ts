import type { SocketEvent } from "../source/index.ts"
import type { BlueskyFrame } from "./FrameReader.ts"

/**
 * Tracks which times of a replayable stream are covered. If a new connection replays events from before the last
 * received event, no gap is reported.
 */
export class ReplayCoverage {
  readonly #recordedUntil: number | null
  /** The time up to which all events of the stream were received, or undefined if no message was received yet. */
  #receivedUntil: number | undefined
  #isInterrupted = true
  #hasLosses = false
  #lossReason = ""

  constructor(recordedUntil: number | null) {
    this.#recordedUntil = recordedUntil
  }

  convert<A>(
    event: SocketEvent<BlueskyFrame>,
    valuesOf: (frame: BlueskyFrame) => ReadonlyArray<A>
  ): ReadonlyArray<SocketEvent<A>> {
    switch (event._tag) {
      case "alive":
        return []
      case "up":
        // Missing events can be detected only when the first message after the reconnection arrives.
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
    if (frame._tag === "sampled") this.#recordLoss("more posts about coins than the limit")
    for (const value of values) events.push({ _tag: "heard", value, at: time })
    if (frame._tag === "progress" && time > (this.#receivedUntil ?? time)) {
      this.#receivedUntil = time
      events.push({ _tag: "alive", at: time })
    }
    return events
  }

  /** Returns the `up` or `gap` event, if any, that precedes the first message after a possible interruption. */
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
    // Every lost event has the time of the current message or an earlier time.
    const to = hadLosses ? Math.max(time, until) + 1 : wasInterrupted ? time : until
    if (to <= until) return []
    this.#receivedUntil = to
    return [{
      _tag: "gap",
      from: until,
      to,
      why: hadLosses ? this.#lossReason : "the stream did not replay this interval"
    }]
  }
}
