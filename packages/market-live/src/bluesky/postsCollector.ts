import { type EventRow, eventsKinds } from "@tapeline/core/market/store"
import { Context, Effect, Layer } from "effect"
import { type EventRemoval, makeStreamCollector, type StreamCollector } from "../collect/collector.ts"
import { type SocketEvent, SourceHealth } from "../source/index.ts"
import { postCodec } from "../stored/documents.ts"
import { Bluesky, type BlueskyOptions, layerBluesky } from "./Bluesky.ts"
import type { BlueskyPost } from "./coinPosts.ts"
import type { BlueskyFrame } from "./FrameReader.ts"
import { ReplayCoverage } from "./ReplayCoverage.ts"

type Row = EventRow<"sentiment">

const source = "bluesky"

const unknownAccountFields = { createdAt: null, followers: null, following: null, postCount: null }

/** Returns the stored row of a post, with the server's time, because the creation time in a post is unreliable. */
const rowOf = ({ coins, did, id, language, sentiment, text }: BlueskyPost, time: number): Row => ({
  id,
  time,
  subjects: coins,
  source,
  label: did,
  document: postCodec.write({
    platform: source,
    account: unknownAccountFields,
    coins,
    text,
    language,
    likes: null,
    reposts: null
  }),
  sentiment
})

const toStoredValues = (frame: BlueskyFrame): ReadonlyArray<Row | EventRemoval> => {
  switch (frame._tag) {
    case "post":
      return [rowOf(frame.post, frame.time)]
    case "removed":
      return frame.ids.map((removedId) => ({ removedId }))
    case "progress":
    case "sampled":
      return []
  }
}

/**
 * Collects new and deleted posts about coins through a socket that only the leader process opens. A new connection
 * resumes where the last connection ended.
 */
export const blueskyCollector = (
  options: Omit<BlueskyOptions, "from">,
  health: SourceHealth["Service"]
): StreamCollector => {
  const subscribeFrom = (from: number | null) =>
    Effect.map(
      Layer.build(Layer.provide(layerBluesky({ ...options, from }), Layer.succeed(SourceHealth, health))),
      (context) => {
        const coverage = new ReplayCoverage(from)
        const eventsOf = (event: SocketEvent<BlueskyFrame>) => coverage.convert(event, toStoredValues)
        return { take: Effect.map(Context.get(context, Bluesky).take, (events) => events.flatMap(eventsOf)) }
      }
    )
  return makeStreamCollector({
    source,
    name: "posts",
    kind: eventsKinds.posts,
    subjects: Effect.succeed(options.coins),
    subscribe: subscribeFrom(null),
    subscribeFrom
  })
}
