/** The collector of posts. */
import { type EventRow, eventsKinds } from "@tapeline/core/market/store"
import { Context, Effect, Layer } from "effect"
import { type SocketEvent, SourceHealth } from "../../source/index.ts"
import { Bluesky, type BlueskyOptions, layerBluesky } from "../../sources/bluesky/Bluesky.ts"
import type { BlueskyPost } from "../../sources/bluesky/filter.ts"
import type { BlueskyFrame } from "../../sources/bluesky/Frames.ts"
import { postForm } from "../../stored/documents.ts"
import { type Forgotten, type StreamCollector, streamCollector } from "../collector.ts"
import { Retold } from "./Retold.ts"

type Row = EventRow<"sentiment">

const source = "bluesky"

/** The stream contains neither account data nor reactions to a post. */
const unknownAccount = { createdAt: null, followers: null, following: null, postCount: null }

/**
 * The stored row of a post. Its time is when the network received it, because the time set by the author's program is
 * unreliable.
 */
const rowOf = ({ coins, did, id, language, sentiment, text }: BlueskyPost, time: number): Row => ({
  id,
  time,
  subjects: coins,
  source,
  label: did,
  document: postForm.write({
    platform: source,
    account: unknownAccount,
    coins,
    text,
    language,
    likes: null,
    reposts: null
  }),
  sentiment
})

const valuesOf = (frame: BlueskyFrame): ReadonlyArray<Row | Forgotten> => {
  switch (frame._tag) {
    case "post":
      return [rowOf(frame.post, frame.time)]
    case "gone":
      return frame.ids.map((forgotten) => ({ forgotten }))
    case "told":
    case "sampled":
      return []
  }
}

/**
 * Collects posts about coins as they are written, and their deletions. Only the process that leads the source opens the
 * socket. It resumes where the last connection ended.
 */
export const blueskyCollector = (
  options: Omit<BlueskyOptions, "from">,
  health: SourceHealth["Service"]
): StreamCollector => {
  const listenFrom = (from: number | null) =>
    Effect.map(
      Layer.build(Layer.provide(layerBluesky({ ...options, from }), Layer.succeed(SourceHealth, health))),
      (context) => {
        const retold = new Retold(from)
        const eventsOf = (event: SocketEvent<BlueskyFrame>) => retold.of(event, valuesOf)
        return { take: Effect.map(Context.get(context, Bluesky).take, (events) => events.flatMap(eventsOf)) }
      }
    )
  return streamCollector({
    source,
    name: "posts",
    kind: eventsKinds.posts,
    subjects: Effect.succeed(options.coins),
    listen: listenFrom(null),
    listenFrom
  })
}
