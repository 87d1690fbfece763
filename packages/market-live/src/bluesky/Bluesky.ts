/**
 * New posts of Bluesky, from its Jetstream. The Jetstream sends all events of the network as JSON. It can replay about
 * the last 36 hours.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { makeSocket, type ReconnectPolicy, type Socket, SourceHealth } from "../source/index.ts"
import { makeCoinPostFilter } from "./coinPosts.ts"
import { type BlueskyFrame, FrameReader } from "./FrameReader.ts"

export interface BlueskyOptions {
  /** The base URL of a Jetstream instance; the path follows. */
  readonly baseUrl?: string
  readonly reconnectPolicy?: Partial<ReconnectPolicy>
  /** The coins that posts are searched for. */
  readonly coins: ReadonlyArray<string>
  /** The time to replay from, if the server still can. By default the stream begins now. */
  readonly from?: number | null
  /**
   * The maximum number of posts about coins per second. If more arrive, they are dropped and the time is reported as a
   * gap.
   */
  readonly maxPostsPerSecond?: number
}

export class Bluesky extends Context.Service<Bluesky, Socket<BlueskyFrame>>()("@tapeline/market-live/Bluesky") {}

/** Instances have separate clocks, so the replay begins a little earlier. */
const rewindMs = 5_000

/** The server omits larger events. No post is that large, and such an event would end the connection repeatedly. */
const maxEventBytes = 262_144

const addressOf = (baseUrl: string, from: number | null): string => {
  const cursor = from === null ? "" : `&cursor=${Math.max(0, from - rewindMs) * 1_000}`
  return `${baseUrl.replace(/\/$/u, "")}/subscribe?wantedCollections=app.bsky.feed.post` +
    `&maxMessageSizeBytes=${maxEventBytes}${cursor}`
}

export const layerBluesky = (
  {
    baseUrl = "wss://jetstream2.us-east.bsky.network",
    coins,
    from = null,
    maxPostsPerSecond = 200,
    reconnectPolicy = {}
  }: BlueskyOptions
): Layer.Layer<Bluesky, never, SourceHealth> =>
  Layer.effect(
    Bluesky,
    Effect.flatMap(Clock.Clock, (clock) => {
      const frames = new FrameReader({
        toCoinPost: makeCoinPostFilter(coins),
        now: () => clock.currentTimeMillisUnsafe(),
        maxPostsPerSecond
      })
      return makeSocket({
        name: "bluesky",
        part: "posts",
        url: () => {
          frames.startConnection()
          return addressOf(baseUrl, frames.receivedUntil ?? from)
        },
        read: (text) => frames.read(text),
        reconnectPolicy
      })
    })
  )
