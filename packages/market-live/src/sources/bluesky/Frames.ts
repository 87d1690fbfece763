import { Result } from "effect"
import { jsonOf } from "../../source/judge.ts"
import type { BlueskyPost } from "./filter.ts"
import { type BlueskyMessage, messageOf } from "./messages.ts"

/**
 * A relevant event of the stream, with the time at which the server received it. `told` means that everything up to its
 * time was received.
 */
export type BlueskyFrame =
  | { readonly _tag: "post"; readonly time: number; readonly post: BlueskyPost }
  /** Ids of removed posts, and prefixes of ids, which end with `/`. */
  | { readonly _tag: "gone"; readonly time: number; readonly ids: ReadonlyArray<string> }
  | { readonly _tag: "told"; readonly time: number }
  /** More posts about coins arrived than are kept, so some were dropped. */
  | { readonly _tag: "sampled"; readonly time: number }

export interface FramesOptions {
  readonly keep: (message: Extract<BlueskyMessage, { _tag: "post" }>) => BlueskyPost | undefined
  readonly now: () => number
  /** The maximum number of posts per second, averaged over bursts of ten seconds. */
  readonly mostASecond: number
}

/** An event that is further in the future than this is invalid. */
const aheadMs = 60_000
/**
 * The minimum intervals between `told` frames, in stream time and in real time. During a replay, a day of stream time
 * may pass in minutes.
 */
const toldEveryMs = 1_000
const saidEveryMs = 250
/** Removed ids are reported together, up to this number. */
const goneTogether = 200
const burstSeconds = 10

/** Reads the messages of the stream: the relevant events, and the stream's progress. */
export class Frames {
  readonly #options: FramesOptions
  readonly #gone = new Set<string>()
  #toldUntil: number | undefined
  #saidAt = -Infinity
  #isNew = true
  #left: number
  #leftAt = 0

  constructor(options: FramesOptions) {
    this.#options = options
    this.#left = options.mostASecond * burstSeconds
  }

  /** The time up to which everything was received; undefined before the first message. */
  get toldUntil(): number | undefined {
    return this.#toldUntil
  }

  /** Begins a new connection, so that its first message reports progress. */
  begin(): void {
    this.#isNew = true
  }

  read(text: string): Result.Result<ReadonlyArray<BlueskyFrame>, string> {
    const message = messageOf(jsonOf(text))
    if (message === undefined) return Result.fail("no event")
    const now = this.#options.now()
    const time = Math.floor(message.timeUs / 1_000)
    if (time > now + aheadMs) return Result.fail("an event of the future")
    return Result.succeed([...this.#of(message, time), ...this.#progress(time, now)])
  }

  #of(message: BlueskyMessage, time: number): ReadonlyArray<BlueskyFrame> {
    switch (message._tag) {
      case "other":
        return []
      case "gone":
        this.#gone.add(message.id)
        return this.#gone.size >= goneTogether ? this.#flush(time) : []
      case "post":
        return this.#post(message, time)
    }
  }

  #post(message: Extract<BlueskyMessage, { _tag: "post" }>, time: number): ReadonlyArray<BlueskyFrame> {
    // A removal that precedes the same post must be reported before it.
    const before = this.#gone.has(message.id) ? this.#flush(time) : []
    const post = this.#options.keep(message)
    if (post === undefined) {
      // A changed post may no longer be about coins.
      if (message.isChanged) this.#gone.add(message.id)
      return before
    }
    return [...before, this.#isKept(time) ? { _tag: "post", time, post } : { _tag: "sampled", time }]
  }

  #flush(time: number): ReadonlyArray<BlueskyFrame> {
    const ids = [...this.#gone]
    this.#gone.clear()
    return ids.length === 0 ? [] : [{ _tag: "gone", time, ids }]
  }

  #progress(time: number, now: number): ReadonlyArray<BlueskyFrame> {
    const isSoon = time - (this.#toldUntil ?? -Infinity) < toldEveryMs || Math.abs(now - this.#saidAt) < saidEveryMs
    if (isSoon && !this.#isNew) return []
    this.#isNew = false
    this.#toldUntil = Math.max(time, this.#toldUntil ?? 0)
    this.#saidAt = now
    return [...this.#flush(time), { _tag: "told", time }]
  }

  #isKept(time: number): boolean {
    const { mostASecond } = this.#options
    const most = mostASecond * burstSeconds
    this.#left = Math.min(most, this.#left + Math.max(0, time - this.#leftAt) / 1_000 * mostASecond)
    this.#leftAt = time
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
