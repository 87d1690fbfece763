/** Streams new posts of Bluesky from Jetstream, which can replay about the last 36 hours. */
import { Clock, Context, Effect, Layer } from "effect"
import { makeSocket, type ReconnectPolicy, type Socket, SourceHealth } from "../source/index.ts"
import { makeCoinPostFilter } from "./coinPosts.ts"
import { type BlueskyFrame, FrameReader } from "./FrameReader.ts"

export interface BlueskyOptions {
  /** The base URL of a Jetstream instance, without a path. */
  readonly baseUrl?: string | undefined
  readonly reconnectPolicy?: Partial<ReconnectPolicy>
  readonly coins: ReadonlyArray<string>
  /** The time from which Jetstream replays posts; by default, the stream begins with new posts. */
  readonly from?: number | null
  /**
   * The maximum number of posts about coins per second; further posts are dropped and their time is reported as a gap.
   */
  readonly maxPostsPerSecond?: number
}

export class Bluesky extends Context.Service<Bluesky, Socket<BlueskyFrame>>()("@tapeline/market-live/Bluesky") {}

/** The overlap of a replay with the events received before, because Jetstream instances have separate clocks. */
const rewindMs = 5_000

/** The maximum size of an event in bytes, because a larger event would close the connection repeatedly. */
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
