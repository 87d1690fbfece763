import { Result } from "effect"
import { jsonOf } from "../../source/judge.ts"
import type { BlueskyPost } from "./filter.ts"
import { type BlueskyMessage, messageOf } from "./messages.ts"

/** What is passed on of the stream, with when the server saw it: everything until then has been told. */
export type BlueskyFrame =
  | { readonly _tag: "post"; readonly time: number; readonly post: BlueskyPost }
  /** Ids of posts that are gone, and beginnings of ids, which end with `/`. */
  | { readonly _tag: "gone"; readonly time: number; readonly ids: ReadonlyArray<string> }
  | { readonly _tag: "told"; readonly time: number }
  /** More was said about coins than is kept: some of it was left out. */
  | { readonly _tag: "sampled"; readonly time: number }

export interface FramesOptions {
  readonly keep: (message: Extract<BlueskyMessage, { _tag: "post" }>) => BlueskyPost | undefined
  readonly now: () => number
  /** Of posts about coins as many a second are kept at most, a burst of ten seconds' worth included. */
  readonly mostASecond: number
}

/** What the server saw so much later than now it did not see. */
const aheadMs = 60_000
/** How far it has come is told so often, by the stream's time and by ours: it may tell of a day in minutes. */
const toldEveryMs = 1_000
const saidEveryMs = 250
/** Gone ones are told together. */
const goneTogether = 200
const burstSeconds = 10

/** Reads the stream's texts: what is of use, and how far it has come. It keeps nothing but that. */
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

  /** Until when it was told that everything was; undefined before anything was. */
  get toldUntil(): number | undefined {
    return this.#toldUntil
  }

  /** A new connection: its first word says where it begins. */
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
    // What was removed and is there again comes in this order.
    const before = this.#gone.has(message.id) ? this.#flush(time) : []
    const post = this.#options.keep(message)
    if (post === undefined) {
      // One that is changed may be about coins no more.
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
