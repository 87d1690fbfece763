import { Result } from "effect"
import { parseJson } from "../source/rejections.ts"
import type { BlueskyPost } from "./coinPosts.ts"
import { type BlueskyMessage, readMessage } from "./messages.ts"

/** A relevant event of the Bluesky stream; a `progress` event means that all events up to its time were received. */
export type BlueskyFrame =
  | { readonly _tag: "post"; readonly time: number; readonly post: BlueskyPost }
  /** The IDs of removed posts, where an ID that ends with `/` is a prefix of the IDs to remove. */
  | { readonly _tag: "removed"; readonly time: number; readonly ids: ReadonlyArray<string> }
  | { readonly _tag: "progress"; readonly time: number }
  /** A notice that posts about coins were dropped, because more posts arrived than `maxPostsPerSecond`. */
  | { readonly _tag: "sampled"; readonly time: number }

export interface FramesOptions {
  readonly toCoinPost: (message: Extract<BlueskyMessage, { _tag: "post" }>) => BlueskyPost | undefined
  readonly now: () => number
  /** The maximum number of posts per second, averaged over bursts of ten seconds. */
  readonly maxPostsPerSecond: number
}

/** The maximum time by which an event's timestamp may be ahead of the local clock, in milliseconds. */
const maxClockAheadMs = 60_000
/**
 * The minimum intervals between two `progress` frames, in stream time and in real time. A frame requires both
 * intervals, because a replayed stream runs faster than real time.
 */
const minProgressStreamMs = 1_000
const minProgressClockMs = 250
const maxRemovalsPerFrame = 200
const burstSeconds = 10

/** Converts messages of the Bluesky stream to relevant events and progress reports. */
export class FrameReader {
  readonly #options: FramesOptions
  readonly #removedIds = new Set<string>()
  #receivedUntil: number | undefined
  #progressAt = -Infinity
  #isNewConnection = true
  #postBudget: number
  #budgetUpdatedAt = 0

  constructor(options: FramesOptions) {
    this.#options = options
    this.#postBudget = options.maxPostsPerSecond * burstSeconds
  }

  get receivedUntil(): number | undefined {
    return this.#receivedUntil
  }

  /** Starts a new connection. The first message of a new connection yields a `progress` frame. */
  startConnection(): void {
    this.#isNewConnection = true
  }

  read(text: string): Result.Result<ReadonlyArray<BlueskyFrame>, string> {
    const message = readMessage(parseJson(text))
    if (message === undefined) return Result.fail("no event")
    const now = this.#options.now()
    const time = Math.floor(message.timeUs / 1_000)
    if (time > now + maxClockAheadMs) return Result.fail("an event with a future time")
    return Result.succeed([...this.#convert(message, time), ...this.#reportProgress(time, now)])
  }

  #convert(message: BlueskyMessage, time: number): ReadonlyArray<BlueskyFrame> {
    switch (message._tag) {
      case "other":
        return []
      case "removed":
        this.#removedIds.add(message.id)
        return this.#removedIds.size >= maxRemovalsPerFrame ? this.#flushRemovals(time) : []
      case "post":
        return this.#convertPost(message, time)
    }
  }

  #convertPost(message: Extract<BlueskyMessage, { _tag: "post" }>, time: number): ReadonlyArray<BlueskyFrame> {
    // If a post was removed and is now published again, the removal must be reported before the new version.
    const before = this.#removedIds.has(message.id) ? this.#flushRemovals(time) : []
    const post = this.#options.toCoinPost(message)
    if (post === undefined) {
      // After an edit, a post may no longer be about coins, so the stored version is removed.
      if (message.isEdited) this.#removedIds.add(message.id)
      return before
    }
    return [...before, this.#takeFromBudget(time) ? { _tag: "post", time, post } : { _tag: "sampled", time }]
  }

  #flushRemovals(time: number): ReadonlyArray<BlueskyFrame> {
    const ids = [...this.#removedIds]
    this.#removedIds.clear()
    return ids.length === 0 ? [] : [{ _tag: "removed", time, ids }]
  }

  #reportProgress(time: number, now: number): ReadonlyArray<BlueskyFrame> {
    const isSoon = time - (this.#receivedUntil ?? -Infinity) < minProgressStreamMs ||
      Math.abs(now - this.#progressAt) < minProgressClockMs
    if (isSoon && !this.#isNewConnection) return []
    this.#isNewConnection = false
    this.#receivedUntil = Math.max(time, this.#receivedUntil ?? 0)
    this.#progressAt = now
    return [...this.#flushRemovals(time), { _tag: "progress", time }]
  }

  #takeFromBudget(time: number): boolean {
    const { maxPostsPerSecond } = this.#options
    const maxBudget = maxPostsPerSecond * burstSeconds
    this.#postBudget = Math.min(
      maxBudget,
      this.#postBudget + Math.max(0, time - this.#budgetUpdatedAt) / 1_000 * maxPostsPerSecond
    )
    this.#budgetUpdatedAt = time
    if (this.#postBudget < 1) return false
    this.#postBudget--
    return true
  }
}
