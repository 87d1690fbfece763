import { hourMs, type SocialFeed, type SocialPost } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { createHash } from "node:crypto"
import type { SocketHandler } from "../server/sockets.ts"

export interface JetstreamMarket {
  readonly social: SocialFeed["Service"]
  readonly coins: ReadonlyArray<string>
  /**
   * The maximum age of replayed posts in milliseconds. If a client requests older posts, the stream silently begins at
   * the maximum age.
   */
  readonly lookbackMs?: number
  /** The interval in milliseconds at which the stream sends events that are not posts. */
  readonly unrelatedEventsMs?: number
}

const tickMs = 1_000

interface Event {
  readonly time_us: number
  readonly [part: string]: unknown
}

const base32 = (text: string): string =>
  Array.from(
    createHash("sha256").update(text).digest().subarray(0, 24),
    (byte) => "abcdefghijklmnopqrstuvwxyz234567"[byte % 32]
  ).join("")

/** Returns the decentralised identifier (DID) of a fake Bluesky account. */
export const didOf = (handle: string): string => `did:plc:${base32(handle)}`

/** Returns the record key of a fake Bluesky post. */
export const recordKeyOf = (id: string): string => base32(id).slice(0, 13)

const eventOf = ({ account: { handle }, id, language, text, time }: SocialPost) => ({
  did: didOf(handle),
  time_us: time * 1_000,
  cursor: time,
  kind: "commit",
  commit: {
    rev: "3l3qo2vutsw2b",
    operation: "create",
    collection: "app.bsky.feed.post",
    rkey: recordKeyOf(id),
    cid: "bafyreidwaivazkwu67xztlmuobx35hs2lnfh3kolmgfmucldvhd3sgzcqi",
    record: {
      $type: "app.bsky.feed.post",
      createdAt: new Date(time - 900).toISOString(),
      langs: [language],
      text
    }
  }
})

const makeRenameEvent = (time: number): Event => {
  const did = didOf(`${time}`)
  const identity = { did, handle: "a.bsky.social", seq: 1, time: "" }
  return { did, time_us: time * 1_000, cursor: time, kind: "identity", identity }
}

const makeUnrelatedEvents = (time: number): ReadonlyArray<Event> => {
  const did = didOf(`${time}`)
  const [time_us, cursor] = [time * 1_000, time]
  return [
    makeRenameEvent(time),
    { did, time_us, cursor, kind: "account", account: { active: true, did, seq: 1, time: "" } },
    {
      did,
      time_us,
      cursor,
      kind: "commit",
      commit: {
        rev: "3l3qo2vutsw2b",
        operation: "create",
        collection: "app.bsky.feed.post",
        rkey: recordKeyOf(`${time}`),
        record: { $type: "app.bsky.feed.post", createdAt: "2026-11-20T12:00:00Z", langs: ["en"], text: "Good morning" }
      }
    },
    {
      did,
      time_us,
      cursor,
      kind: "commit",
      commit: {
        rev: "3l3qo2vutsw2c",
        operation: "delete",
        collection: "app.bsky.feed.post",
        rkey: recordKeyOf(`${time - 5_000}`)
      }
    }
  ]
}

const readEvents = Effect.fnUntraced(function*(
  { coins, unrelatedEventsMs = 10_000, social }: JetstreamMarket,
  from: number,
  to: number
) {
  const posts = new Map<string, SocialPost>()
  for (const coin of coins) {
    const read = Effect.orElseSucceed(social.posts({ coin, from, to: to + 1, limit: 100_000 }), () => ({ value: [] }))
    for (const post of (yield* read).value) posts.set(post.id, post)
  }
  const events: Array<Event> = [makeRenameEvent(from), ...Array.from(posts.values(), eventOf), makeRenameEvent(to)]
  for (let time = Math.ceil(from / unrelatedEventsMs) * unrelatedEventsMs; time <= to; time += unrelatedEventsMs) {
    events.push(...makeUnrelatedEvents(time))
  }
  return events.sort((a, b) => a.time_us - b.time_us)
})

/** Creates a fake of Bluesky's Jetstream, according to its documentation. */
export const makeJetstream = (market: JetstreamMarket): SocketHandler => ({ path, query }) => {
  if (path !== "/subscribe" || query.get("wantedCollections") !== "app.bsky.feed.post") return null
  const cursor = Number(query.get("cursor") ?? Number.NaN)
  return (socket) =>
    Effect.gen(function*() {
      const opened = yield* Clock.currentTimeMillis
      const requestedFrom = Number.isFinite(cursor) ? Math.floor(cursor / 1_000) : opened
      const { lookbackMs = 36 * hourMs } = market
      // A cursor in the future makes the stream begin with new posts.
      let from = requestedFrom > opened ? opened : Math.max(requestedFrom, opened - lookbackMs)
      return yield* Effect.forever(Effect.gen(function*() {
        const to = yield* Clock.currentTimeMillis
        if (to >= from) { for (const event of yield* readEvents(market, from, to)) socket.send(JSON.stringify(event)) }
        from = Math.max(from, to + 1)
        yield* Effect.sleep(tickMs)
      }))
    })
}
