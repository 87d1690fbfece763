/**
 * Bluesky's posts as they are written: its Jetstream, which tells everything of the network as JSON, and tells what was
 * said in the last day and a half again to who asks from there on.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { makeSocket, type Socket, type SocketPatience, SourceHealth } from "../../source/index.ts"
import { makeFilter } from "./filter.ts"
import { type BlueskyFrame, Frames } from "./Frames.ts"

export interface BlueskyOptions {
  /** An instance of it; the path follows. */
  readonly baseUrl?: string
  readonly patience?: Partial<SocketPatience>
  /** Which coins posts are looked through for. */
  readonly coins: ReadonlyArray<string>
  /** Tell from there on, if the server still can; from now on without it. */
  readonly from?: number | null
  /** More posts about coins than this, a second, are not kept, and the time is told as a gap. */
  readonly mostASecond?: number
}

export class Bluesky extends Context.Service<Bluesky, Socket<BlueskyFrame>>()("@tapeline/market-live/Bluesky") {}

/** Instances have clocks of their own, and tell a little again to be sure. */
const rewindMs = 5_000

/** Larger events are left out by the server: nobody's post, and one would end the connection again and again. */
const largestEvent = 262_144

const addressOf = (baseUrl: string, from: number | null): string => {
  const cursor = from === null ? "" : `&cursor=${Math.max(0, from - rewindMs) * 1_000}`
  return `${baseUrl.replace(/\/$/u, "")}/subscribe?wantedCollections=app.bsky.feed.post` +
    `&maxMessageSizeBytes=${largestEvent}${cursor}`
}

export const layerBluesky = (
  { baseUrl = "wss://jetstream2.us-east.bsky.network", coins, from = null, mostASecond = 200, patience = {} }:
    BlueskyOptions
): Layer.Layer<Bluesky, never, SourceHealth> =>
  Layer.effect(
    Bluesky,
    Effect.flatMap(Clock.Clock, (clock) => {
      const frames = new Frames({ keep: makeFilter(coins), now: () => clock.currentTimeMillisUnsafe(), mostASecond })
      return makeSocket({
        name: "bluesky",
        part: "posts",
        url: () => {
          frames.begin()
          return addressOf(baseUrl, frames.toldUntil ?? from)
        },
        read: (text) => frames.read(text),
        patience
      })
    })
  )
