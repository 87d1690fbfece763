/**
 * New posts of Bluesky, from its Jetstream. The Jetstream sends all events of the network as JSON. It can replay about
 * the last 36 hours.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { makeSocket, type Socket, type SocketPatience, SourceHealth } from "../../source/index.ts"
import { makeFilter } from "./filter.ts"
import { type BlueskyFrame, Frames } from "./Frames.ts"

export interface BlueskyOptions {
  /** The base URL of a Jetstream instance; the path follows. */
  readonly baseUrl?: string
  readonly patience?: Partial<SocketPatience>
  /** The coins that posts are searched for. */
  readonly coins: ReadonlyArray<string>
  /** The time to replay from, if the server still can. By default the stream begins now. */
  readonly from?: number | null
  /**
   * The maximum number of posts about coins per second. If more arrive, they are dropped and the time is reported as a
   * gap.
   */
  readonly mostASecond?: number
}

export class Bluesky extends Context.Service<Bluesky, Socket<BlueskyFrame>>()("@tapeline/market-live/Bluesky") {}

/** Instances have separate clocks, so the replay begins a little earlier. */
const rewindMs = 5_000

/** The server omits larger events. No post is that large, and such an event would end the connection repeatedly. */
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
